"""Writes cases.jsonl: refund requests of an invented company, from a seed.

    python examples/refunds/generate.py [--check]

Most cases are drawn at random. Then cases are searched for, by running the policy, until each
kind of receipt that three sources can have occurs often enough to be looked at. This file uses
the policy engine directly and enumerates all eight hybrids of every case: it shares no code
with Decidendi, so its table is an independent statement of what certification must find.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import regorus

HERE = Path(__file__).parent
SEED = 20260611
ORDINARY = 1_850
EACH_KIND = 12
UNCERTIFIABLE = 7
CUSTOMERS = 640

Grounds = dict[str, Any]
VALUES: dict[str, tuple[Any, ...]] = {
    "region": ("north", "coast", "islands", "highlands"),
    "channel": ("web", "web", "web", "store", "store", "partner"),
    "line": ("apparel", "electronics", "food", "made_to_order"),
    "condition": ("unopened", "opened", "worn", "damaged"),
    "reason": ("changed_mind", "defect", "wrong_item", "late"),
    "evidence": ("none", "statement", "photo", "inspection"),
}
# What a second look may correct.
CORRECTED = (
    "channel", "price_cents", "days_since_delivery", "condition", "reason", "evidence",
    "prior_refunds",
)  # fmt: skip

# Where the second version of the policy does not say what its authors announced, and what it
# would say if it did. The panel that labels cases knows the announcement only.
SLIPS = {
    "policy/lines/electronics.rego": ("opened_window_days := 14", "opened_window_days := 28"),
    "policy/lines/food.rego": (
        '{"photo", "courier_report"}',
        '{"photo", "inspection", "courier_report"}',
    ),
    "policy/lines/made_to_order.rego": ("days_since_delivery <= 90", "days_since_delivery <= 365"),
}

KIND_LETTERS = "GNA"


def policy_files(version: str) -> dict[str, str]:
    """Return the policy's files by path."""
    folder = HERE / version
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((folder / "policy").rglob("*.rego"))
    }


def engine_of(files: dict[str, str]) -> Any:  # noqa: ANN401 - the engine has no type stubs
    """Return an engine with the policy parsed."""
    engine = regorus.Engine()
    for name, text in files.items():
        engine.add_policy(name, text)
    return engine


def announced(files: dict[str, str]) -> dict[str, str]:
    """Return the policy as it was announced rather than as it was written."""
    mended = dict(files)
    for name, (written, meant) in SLIPS.items():
        if mended[name].count(written) != 1:
            raise SystemExit(f"{name} no longer holds {written!r} once: mend SLIPS")
        mended[name] = mended[name].replace(written, meant)
    return mended


ENGINES = {
    "v1": engine_of(policy_files("v1")),
    "v2": engine_of(policy_files("v2")),
    "announced": engine_of(announced(policy_files("v2"))),
}
AUTHORITY = {v: (HERE / v / "authority.json").read_text(encoding="utf-8") for v in ("v1", "v2")}


@cache
def _decide(grounds: str, norms: str, authority: str) -> str:
    engine = ENGINES[norms]
    engine.set_input_json(f'{{"grounds": {grounds}, "authority": {AUTHORITY[authority]}}}')
    verdict = engine.eval_rule("data.refunds.verdict")
    if verdict not in ("approve", "deny", "refer"):
        raise SystemExit(f"the policy says {verdict!r} about {grounds}")
    return str(verdict)


def decide(grounds: Grounds, norms: str, authority: str) -> str:
    """Execute one hybrid."""
    return _decide(json.dumps(grounds, sort_keys=True), norms, authority)


def cube(old: Grounds, revised: Grounds) -> dict[str, str]:
    """Execute all eight hybrids; the key names the revised kinds."""
    cells = {}
    for size in range(4):
        for chosen in combinations(KIND_LETTERS, size):
            name = "".join(chosen)
            cells[name] = decide(
                revised if "G" in name else old,
                "v2" if "N" in name else "v1",
                "v2" if "A" in name else "v1",
            )
    return cells


def receipt(old: Grounds, revised: Grounds) -> str:
    """Return the complete family as text, e.g. ``G | NA``; or why there is none."""
    if decide(old, "v1", "v1") == decide(revised, "v2", "v2"):
        return "no change"
    if revised["evidence"] == "courier_report":
        return "uncertifiable"  # the first version's schema knows no such evidence
    cells = cube(old, revised)
    good = [name for name, verdict in cells.items() if verdict == cells["GNA"]]
    return " | ".join(n for n in good if not any(set(m) < set(n) for m in good))


def some_grounds(rng: random.Random) -> Grounds:
    """Draw the grounds of one request."""
    grounds: Grounds = {name: rng.choice(values) for name, values in VALUES.items()}
    grounds["price_cents"] = 100 * rng.choice((rng.randint(15, 300), rng.randint(150, 800)))
    grounds["days_since_delivery"] = int(rng.choice((rng.randint(0, 50), rng.expovariate(1 / 120))))
    grounds["prior_refunds"] = min(12, int(rng.expovariate(1 / 1.6)))
    return grounds


def look_again(rng: random.Random, grounds: Grounds, at_most: int) -> Grounds:
    """Return the grounds as a second look found them."""
    fresh = some_grounds(rng)
    names = rng.sample(CORRECTED, rng.randint(1, at_most))
    return grounds | {name: fresh[name] for name in names}


def near_a_limit(rng: random.Random) -> tuple[Grounds, Grounds]:
    """Draw a request about money alone: there, all three sources pull on one number."""
    grounds = some_grounds(rng) | {
        "region": rng.choice(("north", "islands")),
        "channel": "web",
        "line": rng.choice(("apparel", "electronics")),
        "condition": "opened",
        "reason": "changed_mind",
        "days_since_delivery": rng.randint(5, 40),
        "price_cents": 100 * rng.randint(180, 620),
    }
    return grounds, grounds | {
        "price_cents": 100 * rng.randint(180, 620),
        "days_since_delivery": rng.randint(5, 40),
    }


KINDS = (
    "G", "N", "A", "GN", "GA", "NA", "GNA", "G | N", "G | A", "N | A", "G | N | A",
    "G | NA", "N | GA", "A | GN", "GN | GA", "GN | NA", "GA | NA", "GN | GA | NA",
)  # fmt: skip
"""Every family that three sources can have: the antichains, without the two empty ones."""


def draw_requests(rng: random.Random) -> list[tuple[Grounds, Grounds]]:
    """Draw ordinary requests, then search until each kind of receipt occurs often enough."""
    requests = []
    for _ in range(ORDINARY):
        grounds = some_grounds(rng)
        revised = look_again(rng, grounds, 3) if rng.random() < 0.35 else grounds
        requests.append((grounds, revised))
    counts = Counter(receipt(*request) for request in requests)
    while min(counts[kind] for kind in KINDS) < EACH_KIND:
        if rng.random() < 0.3:
            found = near_a_limit(rng)
        else:
            grounds = some_grounds(rng)
            found = grounds, look_again(rng, grounds, len(CORRECTED))
        kind = receipt(*found)
        if kind in KINDS and counts[kind] < EACH_KIND:
            counts[kind] += 1
            requests.append(found)
    while counts["uncertifiable"] < UNCERTIFIABLE:
        grounds = some_grounds(rng) | {"line": "apparel", "evidence": "none"}
        found = grounds, grounds | {"evidence": "courier_report"}
        if receipt(*found) == "uncertifiable":
            counts["uncertifiable"] += 1
            requests.append(found)
    rng.shuffle(requests)
    return requests


def gold_of(old: Grounds, revised: Grounds) -> dict[str, str]:
    """Return what the panel says: the old policy as written, the new one as announced."""
    return {
        "old": decide(old, "v1", "v1"),
        "revised": decide(revised, "announced", "v2"),
    }


def lines() -> list[str]:
    """Return the lines of cases.jsonl."""
    rng = random.Random(SEED)  # noqa: S311 - an example needs repeatable draws, not secret ones
    written = []
    for number, (old, revised) in enumerate(draw_requests(rng), 1):
        case: dict[str, Any] = {
            "id": f"r-{number:04}",
            "unit": f"customer-{rng.randint(1, CUSTOMERS):03}",
            "order": f"FM-{rng.randint(100_000, 999_999)}",
            "grounds": old if old == revised else {"old": old, "revised": revised},
        }
        if rng.random() < 0.6:
            case["gold"] = gold_of(old, revised)
        written.append(json.dumps(case, separators=(",", ":")))
    return written


def table(cases: list[dict[str, Any]]) -> Counter[str]:
    """Count the cases of each kind of receipt, by enumerating every cube."""
    counts: Counter[str] = Counter()
    for case in cases:
        grounds = case["grounds"]
        pair = (grounds["old"], grounds["revised"]) if "old" in grounds else (grounds, grounds)
        counts[receipt(*pair)] += 1
    return counts


def main() -> None:
    """Write the file, or check that it is what the seed gives; print the table."""
    parser = argparse.ArgumentParser(description="Writes the cases of the refunds example.")
    parser.add_argument("--check", action="store_true", help="compare with the file instead")
    check = parser.parse_args().check
    path = HERE / "cases.jsonl"
    text = "\n".join(lines()) + "\n"
    if not check:
        path.write_text(text, encoding="utf-8")
    elif path.read_text(encoding="utf-8") != text:
        raise SystemExit("cases.jsonl is not what the seed gives; run generate.py")
    cases = [json.loads(line) for line in text.splitlines()]
    counts = table(cases)
    for kind in (*KINDS, "no change", "uncertifiable"):
        print(f"{counts[kind]:6}  {kind}")
    print(f"{len(cases):6}  cases, {len({case['unit'] for case in cases})} customers")


if __name__ == "__main__":
    main()
