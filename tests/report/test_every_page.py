"""What holds of every page: the same bytes every time, and nothing from outside."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from itertools import pairwise
from pathlib import Path

from _report_pages import Page, render

SECTIONS = {
    "refunds": "receipts verdicts units gold open cells examples run limits",
    "audit": "order measures robustness margins further conditions cases run limits",
    "six-models": "order measures robustness conditions cases run limits",
    "comparison": "differences tests cases run limits",
    "benchmark": "accuracy failures structure shifts selective mix tables methods run limits",
    "grading": "rates kinds classes judge chains run limits",
}


def test_page_equals_its_snapshot(any_page: Page, page_name: str) -> None:
    # To update after a wanted change: look at the page in a browser, then run
    #     DECIDENDI_UPDATE_SNAPSHOTS=1 pytest tests/report/test_every_page.py
    # and commit the pages in tests/report with the change that caused it.
    html = render(any_page)
    snapshot = Path(__file__).with_name(f"{page_name}.html")
    if os.environ.get("DECIDENDI_UPDATE_SNAPSHOTS") == "1":
        snapshot.write_text(html, encoding="utf-8")
    assert html == snapshot.read_text(encoding="utf-8")


def test_page_is_self_contained(any_page: Page) -> None:
    html = render(any_page)
    assert html.startswith("<!doctype html>")
    assert not re.search(r"<(script|link|img|iframe|object|embed|form|base)\b", html)
    assert not re.search(r'\b(href|src)="(?!#)', html)
    assert not re.search(r"\bstyle=", html)
    assert "http://" not in html and "https://" not in html


def test_policy_allows_this_style_sheet_and_nothing_else(any_page: Page) -> None:
    html = render(any_page)
    css = re.search(r"<style>(.*?)</style>", html, re.S)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert css and policy
    digest = base64.b64encode(hashlib.sha256(css[1].encode()).digest()).decode()
    rules = policy[1].replace("&#39;", "'").split("; ")
    assert rules[0] == "default-src 'none'"
    assert f"style-src 'sha256-{digest}'" in rules
    assert "url(" not in css[1] and "@import" not in css[1]


def test_sections_stand_in_the_order_of_the_story(any_page: Page, page_name: str) -> None:
    html = render(any_page)
    order = re.findall(r'<h2 id="(\w+)"', html)
    assert " ".join(order) == SECTIONS[page_name]
    nav = html.split("<nav")[1].split("</nav>")[0]
    assert re.findall(r'href="#(\w+)"', nav) == order


def test_links_lead_somewhere(any_page: Page) -> None:
    html = render(any_page)
    ids = set(re.findall(r'\bid="([^"]*)"', html))
    targets = set(re.findall(r'href="#([^"]*)"', html))
    labels = {name for found in re.findall(r'aria-labelledby="([^"]*)"', html)
              for name in found.split()}  # fmt: skip
    assert targets | labels <= ids


def test_headings_never_skip_a_level(any_page: Page) -> None:
    levels = [int(n) for n in re.findall(r"<h(\d)\b", render(any_page))]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_every_header_cell_has_a_scope(any_page: Page) -> None:
    html = render(any_page)
    cells = re.findall(r"<th\b[^>]*>", html)
    assert cells and all('scope="' in cell for cell in cells)
    assert html.count("<caption") == html.count("<table")


def test_ids_are_unique(any_page: Page) -> None:
    ids = re.findall(r'\bid="([^"]*)"', render(any_page))
    assert len(ids) == len(set(ids))


def test_rows_of_a_table_are_of_one_width(any_page: Page) -> None:
    for table in re.findall(r"<table\b.*?</table>", render(any_page), re.S):
        widths = set()
        for row in re.findall(r"<tr\b.*?</tr>", table, re.S):
            cells = re.findall(r"<t[hd]\b([^>]*)>", row)
            widths.add(sum(int((re.findall(r'colspan="(\d+)"', c) or [1])[0]) for c in cells))
        assert len(widths) == 1
