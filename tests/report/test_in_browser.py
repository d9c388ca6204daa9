"""The pages in a real browser: Debian's Chromium, without scripts of its own or any network.

Skipped with the reason where Chromium is absent, unless DECIDENDI_REQUIRE_BROWSER=1.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from _report_pages import OTHERS, Page, hostile, render

from decidendi.report import CellFigure, CertificationPage, ExampleCase

pytestmark = pytest.mark.browser

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(1)>\u202e' + "W" * 10_000

OPEN = "document.querySelectorAll('details').forEach(e => { e.open = true; })"

# For every visible piece of text: its colour against what lies under it. In the lattice that is
# the shape it stands on; elsewhere the nearest painted background.
CONTRAST = """
const parse = c => (c.match(/[\\d.]+/g) || []).map(Number);
const lum = c => parse(c).slice(0, 3).map(v => v / 255)
  .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const painted = c => c !== 'transparent' && c !== 'none' && (parse(c)[3] ?? 1) === 1
  && parse(c).length >= 3;
const ground = e => {
  for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor;
    if (painted(c)) return c;
  }
  return 'rgb(255, 255, 255)';
};
const under = e => {
  if (!e.closest('svg.lattice')) return ground(e);
  const by = {letter: '.badge', 'tag-text': '.tag'}[e.classList[0]];
  const shape = e.closest('g').querySelector(by || '.node');
  const fill = getComputedStyle(shape).fill;
  return painted(fill) ? fill : ground(e);
};
const out = [];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const e = walk.currentNode.parentElement;
  if (!walk.currentNode.data.trim() || !e.getClientRects().length) continue;
  const svg = e.tagName === 'text', style = getComputedStyle(e);
  const a = lum(svg ? style.fill : style.color), b = lum(svg ? under(e) : ground(e));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  out.push([ratio, e.tagName + '.' + e.className.baseVal, walk.currentNode.data.slice(0, 40)]);
}
return out;
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    missing = [str(path) for path in (CHROMIUM, DRIVER) if not path.exists()]
    if missing:
        reason = f"no browser: {', '.join(missing)} not found (Debian: chromium, chromium-driver)"
        if os.environ.get("DECIDENDI_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(str(DRIVER)))
    yield driver
    driver.quit()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Any:
    """Open a page: ``show(page, width=360, dark=True, script=False, media="print")``."""

    def opened(page: Page, **how: Any) -> Any:
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {
                "media": how.get("media", ""),
                "features": [
                    {
                        "name": "prefers-color-scheme",
                        "value": "dark" if how.get("dark") else "light",
                    },
                    {"name": "prefers-reduced-motion", "value": how.get("motion", "")},
                ],
            },
        )
        width = how.get("width", 1280)
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        off = not how.get("script", True)
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": off})
        file = tmp_path / "report.html"
        file.write_text(render(page), encoding="utf-8")
        browser.get(file.as_uri())
        return browser

    return opened


def every_k(page: CertificationPage) -> CertificationPage:
    """Add examples with one to five kinds to the page."""
    more = []
    for k in range(1, 6):
        kinds = tuple(f"a kind named {i}" for i in range(k))
        cells = tuple(
            CellFigure(s, "refer" if len(s) == k else "deny")
            for size in range(k + 1)
            for s in combinations(kinds, size)
        )
        more.append(ExampleCase(f"k{k}", "u", "certified", kinds, cells, (kinds,), "Words.", ()))
    return replace(page, examples=(*page.examples, *more))


def with_everything(page: Page) -> Page:
    """Return the page with all that changes its width."""
    return every_k(page) if isinstance(page, CertificationPage) else page


def bad(page: Page) -> Page:
    return hostile(page, HOSTILE)


def test_no_complaint_on_the_console(show: Any, any_page: Page) -> None:
    driver = show(any_page)
    assert driver.get_log("browser") == []
    # the style sheet was let in by its hash
    size = "return getComputedStyle(document.querySelector('.wrap')).maxWidth"
    assert driver.execute_script(size) == "1056px"


@pytest.mark.parametrize("width", [320, 768, 1280])
@pytest.mark.parametrize("make", [with_everything, bad])
def test_the_page_never_scrolls_sideways(show: Any, any_page: Page, make: Any, width: int) -> None:
    driver = show(make(any_page), width=width)
    driver.execute_script(OPEN)
    across = "const e = document.scrollingElement; return [e.scrollWidth, innerWidth]"
    scroll, inner = driver.execute_script(across)
    assert scroll <= inner == width


def test_verdicts_are_seen_whole_on_a_small_screen(show: Any, page: CertificationPage) -> None:
    driver = show(page, width=360)
    across = "const e = document.querySelector('.matrix'); return [e.scrollWidth, e.clientWidth]"
    scroll, inner = driver.execute_script(across)
    assert scroll <= inner


def test_hostile_content_runs_nothing_and_loads_nothing(show: Any, any_page: Page) -> None:
    driver = show(bad(any_page))
    assert driver.get_log("browser") == []
    count = "return document.querySelectorAll('script, img, iframe, [onerror]').length"
    assert driver.execute_script(count) == 0
    loaded = "return performance.getEntriesByType('resource').length"
    assert driver.execute_script(loaded) == 0
    assert "<script>alert(1)</script>" in driver.find_element("tag name", "body").text


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_has_contrast(show: Any, page: CertificationPage, dark: bool) -> None:
    labels = tuple(f"label {i}" for i in range(9))
    cells = (*(CellFigure((f"{i}",), label) for i, label in enumerate(labels)),)
    many = replace(page.examples[0], case="many", changed=tuple("012345678"), cells=cells)
    both = replace(
        every_k(page),
        verdicts=(*page.verdicts, *labels),
        examples=(*every_k(page).examples, many),
    )
    driver = show(both, dark=dark)
    driver.execute_script(OPEN)
    found = driver.execute_script(CONTRAST)
    assert len(found) > 800
    assert [row for row in found if row[0] < 4.5] == []
    ground = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (int(re.findall(r"\d+", ground)[0]) < 60) is dark


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_of_every_page_has_contrast(show: Any, any_page: Page, dark: bool) -> None:
    driver = show(any_page, dark=dark)
    driver.execute_script(OPEN)
    found = driver.execute_script(CONTRAST)
    assert len(found) > 100
    assert [row for row in found if row[0] < 4.5] == []


def test_lattices_are_there_named_and_ringed(show: Any, page: CertificationPage) -> None:
    driver = show(page)
    lattices = driver.find_elements("css selector", "svg.lattice")
    assert len(lattices) == len(page.examples)
    for lattice, example in zip(lattices, page.examples, strict=True):
        assert lattice.aria_role in ("image", "img")
        assert "old state at the bottom" in lattice.accessible_name
        assert lattice.size["width"] > 200
        rings = lattice.find_elements("css selector", ".ring")
        assert len(rings) == len(example.receipt or example.known)


def test_page_works_without_javascript(show: Any, page: CertificationPage) -> None:
    driver = show(page, script=False, motion="reduce")
    table = driver.find_element("css selector", "figure details table")
    assert not table.is_displayed()
    driver.find_element("css selector", "figure details summary").click()
    assert table.is_displayed()
    assert "752 of 1,988 compared verdicts changed." in driver.find_element("tag name", "h1").text


def test_keyboard_reaches_the_content_first(show: Any, any_page: Page) -> None:
    driver = show(any_page)
    from selenium.webdriver.common.keys import Keys

    driver.find_element("tag name", "body").send_keys(Keys.TAB)
    link = driver.switch_to.active_element
    assert link.text == "Skip to the content"
    assert link.location["y"] >= 0
    outline = "return getComputedStyle(arguments[0]).outlineWidth"
    assert driver.execute_script(outline, link) == "3px"
    link.send_keys(Keys.ENTER)
    assert driver.switch_to.active_element.get_attribute("id") == "main"


def test_reduced_motion_is_respected(show: Any, page: CertificationPage) -> None:
    scroll = "return getComputedStyle(document.documentElement).scrollBehavior"
    assert show(page, motion="reduce").execute_script(scroll) == "auto"
    assert show(page, motion="no-preference").execute_script(scroll) == "smooth"


def test_print_shows_what_is_folded_away(show: Any, page: CertificationPage) -> None:
    height = "return document.querySelector('figure details table').getClientRects().length"
    seen = "return document.querySelector('figure details table').checkVisibility()"
    driver = show(page, media="print")
    assert driver.execute_script(height) == 1
    assert driver.execute_script(seen) is True
    assert show(page).execute_script(seen) is False


def test_phone_stacks_the_comparison(show: Any, page: CertificationPage) -> None:
    driver = show(page, width=360)
    change = driver.find_element("css selector", ".diff .change")
    old, revised = change.find_elements("css selector", ".line")
    assert revised.rect["y"] >= old.rect["y"] + old.rect["height"] - 1
    assert old.rect["width"] > 240
    wide = show(page, width=1280).find_element("css selector", ".diff .change")
    old, revised = wide.find_elements("css selector", ".line")
    assert abs(revised.rect["y"] - old.rect["y"]) < 1


@pytest.mark.parametrize("width", [320, 768, 1280])
def test_labels_of_an_axis_do_not_touch(show: Any, any_page: Page, width: int) -> None:
    driver = show(any_page, width=width)
    boxes = """return [...document.querySelectorAll('svg.ticks, svg.curves')].map(svg =>
      [...svg.querySelectorAll('text')].map(e => e.getBoundingClientRect())
        .filter(b => b.width).map(b => [b.left, b.right, b.top, b.bottom]))"""
    for labels in driver.execute_script(boxes):
        for one, other in combinations(labels, 2):
            apart = one[1] <= other[0] or other[1] <= one[0]
            assert apart or one[3] <= other[2] + 1 or other[3] <= one[2] + 1


def test_figures_are_read_as_tables_with_names(show: Any, any_page: Page) -> None:
    driver = show(any_page)
    driver.execute_script(OPEN)
    for table in driver.find_elements("css selector", "table.plot, table.measures"):
        assert table.aria_role == "table"
        assert table.accessible_name
    for region in driver.find_elements("css selector", "[role=region]"):
        assert region.accessible_name or not region.is_displayed()
    for svg in driver.find_elements("css selector", "svg"):
        hidden = driver.execute_script("return !!arguments[0].closest('[aria-hidden=true]')", svg)
        named = driver.execute_script(
            "return arguments[0].parentElement.closest('svg') !== null", svg
        ) or (svg.aria_role in ("image", "img") and svg.accessible_name)
        assert hidden or named


def test_marks_lie_on_their_whiskers(show: Any) -> None:
    driver = show(OTHERS["audit"]())
    places = driver.execute_script(
        """return [...document.querySelectorAll('svg.whiskers')].map(svg => {
             const box = e => e && e.getBoundingClientRect();
             const [all, line, mark] = [svg, svg.querySelector('.low-high'),
               svg.querySelector('.mark > *')].map(box);
             return line && mark && [all.left, line.left, mark.left + mark.width / 2,
               line.right, all.right];
           }).filter(Boolean)"""
    )
    assert len(places) > 8
    for whole_left, left, mark, right, whole_right in places:
        assert whole_left - 1 <= left <= mark <= right <= whole_right + 1


def test_conditions_stand_side_by_side_and_stack_on_a_phone(show: Any) -> None:
    page = OTHERS["audit"]()
    first, second = show(page).find_elements("css selector", ".card")[:2]
    assert first.rect["y"] == second.rect["y"] and first.rect["x"] < second.rect["x"]
    first, second = show(page, width=360).find_elements("css selector", ".card")[:2]
    assert first.rect["x"] == second.rect["x"]
    assert second.rect["y"] >= first.rect["y"] + first.rect["height"]
    assert first.rect["width"] > 300


def test_an_answer_opens_without_javascript(show: Any) -> None:
    driver = show(OTHERS["audit"](), script=False, motion="reduce")
    passage = driver.find_element("css selector", ".answer .passage")
    assert not passage.is_displayed()
    driver.find_element("css selector", ".answer summary").click()
    assert passage.is_displayed()
    assert passage.find_elements("tag name", "mark")


def test_print_shows_answers(show: Any) -> None:
    seen = "return document.querySelector('.answer .passage').checkVisibility()"
    assert show(OTHERS["audit"](), media="print").execute_script(seen) is True
    assert show(OTHERS["audit"]()).execute_script(seen) is False
