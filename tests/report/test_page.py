"""What a certification page says."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from _report_pages import text_of

from decidendi.judgment import Reason, Unmeasured
from decidendi.report import (
    CellFigure,
    CertificationPage,
    ExampleCase,
    OutcomeCounts,
    RateFigure,
    ReceiptCount,
    UnitCount,
    VerdictPair,
    render_certification,
)


def test_headline_counts_what_could_be_compared(page: CertificationPage) -> None:
    text = text_of(render_certification(page))
    assert "752 of 1,988 compared verdicts changed." in text
    assert "12 of 2,000 cases had no verdicts to compare" in text


@pytest.mark.parametrize(
    ("outcomes", "says"),
    [
        (OutcomeCounts(10, 4, 4, 5, 1, 0, 0, 0), "4 of 10 verdicts changed."),
        (OutcomeCounts(10, 0, 0, 9, 1, 0, 0, 0), "None of 10 compared verdicts changed."),
        (OutcomeCounts(2, 0, 0, 0, 0, 0, 1, 1), "No verdicts could be compared."),
    ],
)
def test_headline_of_other_runs(
    page: CertificationPage, outcomes: OutcomeCounts, says: str
) -> None:
    assert says in text_of(render_certification(replace(page, outcomes=outcomes)))


def test_lattice_rings_exactly_the_minimal_sets(page: CertificationPage) -> None:
    for example in page.examples:
        html = render_certification(replace(page, examples=(example,)))
        assert html.count('class="ring"') == len(example.receipt or example.known)
        nodes = 1 << len(example.changed)
        assert html.count('<rect class="node"') == nodes
        assert html.count('<g class="idle') == nodes - len(example.cells)
        failed = sum(isinstance(cell.verdict, Unmeasured) for cell in example.cells)
        assert html.count('<g class="failed') == failed


@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 5, 7])
def test_any_number_of_kinds_with_any_names(page: CertificationPage, k: int) -> None:
    kinds = tuple(f"prompt part {i}" for i in range(k))
    cells = tuple(
        CellFigure(s, "refer" if len(s) == k else "deny")
        for size in range(k + 1)
        for s in combinations(kinds, size)
    )
    receipt = (kinds,) if k else ()
    status = "certified" if k else "identical"
    example = ExampleCase("x", "u", status, kinds, cells, receipt, "words", ())
    html = render_certification(replace(page, kinds=kinds, examples=(example,)))
    drawn = 1 <= k <= 4
    assert html.count('<rect class="node"') == (1 << k if drawn else 0)
    assert html.count('class="ring"') == (1 if drawn else 0)
    # the table alternative is there in any case, bounded, with the minimal set in it
    assert html.count("<td>minimal</td>") == (1 if k else 0)
    table = html.split("Executed cells")[1].split("</table>")[0]
    assert table.count('<th scope="row">') == min(64, 1 << k)
    assert ("64 more executed cells not listed here" in html) == (k == 7)


def test_no_node_of_a_lattice_covers_another(page: CertificationPage) -> None:
    kinds = ("grounds", "norms", "authority", "a kind with quite a long name")
    example = replace(page.examples[2], changed=kinds, cells=(), receipt=())
    html = render_certification(replace(page, kinds=kinds, examples=(example,)))
    shape = r'<rect class="node" x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"'
    boxes = [tuple(map(int, found)) for found in re.findall(shape, html)]
    assert len(boxes) == 16
    for (x1, y1, w, h), (x2, y2, _, _) in combinations(boxes, 2):
        assert abs(x1 - x2) >= w or abs(y1 - y2) >= h
    view = re.search(r'viewBox="0 0 (\d+) (\d+)"', html)
    assert view
    assert all(x + w <= int(view[1]) and y + h <= int(view[2]) for x, y, w, h in boxes)


@pytest.mark.parametrize("labels", [2, 8, 9, 40])
def test_any_number_of_verdicts_stays_distinguishable(page: CertificationPage, labels: int) -> None:
    verdicts = tuple(f"level {i}" for i in range(labels))
    pairs = tuple(VerdictPair(a, b, 1) for a, b in pairwise(verdicts))
    html = render_certification(replace(page, verdicts=verdicts, transitions=pairs, examples=()))
    found = re.findall(
        r'chip (v\d)"><b aria-hidden="true">(\w+)</b> <span><bdi>(level \d+)</bdi>', html
    )
    codes = {label: (css, code) for css, code, label in found}
    assert all(codes[label] == (css, code) for css, code, label in found)
    assert len({code for _, code in codes.values()}) == len(codes) >= min(labels, 10)


def test_undefined_rate_is_said_to_be_undefined(page: CertificationPage) -> None:
    rate = RateFigure("Inertia", "Of none.", 0, 0, excluded={"no gold": 4})
    text = text_of(render_certification(replace(page, rates=(rate,))))
    assert "undefined 0 of 0: there is nothing to take a share of." in text
    assert "Left out: 4 no gold." in text


def test_unmeasured_cases_are_in_no_share_of_a_unit(page: CertificationPage) -> None:
    unit = UnitCount("only", cases=10, changed=4, uncertifiable=1, unmeasured=2)
    text = text_of(render_certification(replace(page, units=(unit,))))
    assert "only 10 4 50.0% 3 none" in text


def test_what_is_left_out_is_counted(page: CertificationPage) -> None:
    receipts = tuple(ReceiptCount(((f"kind {i}",),), 30 - i) for i in range(28))
    units = tuple(UnitCount(f"unit {i}", 3, 2) for i in range(400))
    text = text_of(render_certification(replace(page, receipts=receipts, units=units)))
    assert "4 further receipts, with 18 cases together, not shown." in text
    assert "Show 300 more units" in text
    assert "90 further units, with 270 cases and 180 changed verdicts together, not shown." in text


def test_empty_run_has_a_page(page: CertificationPage) -> None:
    bare = replace(
        page,
        outcomes=OutcomeCounts(0, 0, 0, 0, 0, 0, 0, 0),
        receipts=(),
        transitions=(),
        units=(),
        rates=(),
        problems=(),
        examples=(),
        facts=(),
    )
    text = text_of(render_certification(bare))
    assert "No verdicts could be compared." in text
    assert "No case has a receipt" in text


def test_stochastic_run_says_its_confidence(page: CertificationPage) -> None:
    cells = (CellFigure((), "deny", 9), CellFigure(("norms",), "approve", 12))
    example = replace(page.examples[0], changed=("norms",), cells=cells)
    text = text_of(render_certification(replace(page, confidence="0.95", examples=(example,))))
    assert "each certificate holds at confidence 0.95" in text
    assert "(12 draws)" in text


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_is_explained(page: CertificationPage, reason: Reason) -> None:
    group = replace(page.problems[0], reason=reason.value)
    text = text_of(render_certification(replace(page, problems=(group,))))
    assert re.search(rf"17 cases: {reason.value} \u2013 [a-z]", text)
