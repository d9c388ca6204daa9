"""A language model as judge: detectors of premise errors, then a summary in the taxonomy's terms.

Three detectors ask one question each of a premise: is it wrong in any way (``general``), does it
misread what is there (``misinterpretation``), does it belong there (``relevance``). The fourth
(``hallucination``) has questions written that would verify it, has them answered from the source
without the premise, and compares. Where any of them reports an error, a last call weighs the
reports. (Mishra et al., section 4.)

What a premise's label is worth depends on what was looked for. If a call fails or its reply cannot
be used, the premise is unmeasured, whatever the other detectors say: a judge that fails at random
must not make premises wrong, or sound, by failing. If detectors are switched off, so that a kind
was not looked for, no premise has a label as a whole, and there are labels for the other kinds
alone (``Labels.partly``). The general detector looks for every kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias, get_args

from decidendi.grading._chain import Chain
from decidendi.grading._judge import JudgeIdentity, unlabelled
from decidendi.grading._labels import Content, Finding, Labels, Marks, Partly
from decidendi.grading._model_judge_answers import Answers
from decidendi.grading._model_judge_desk import Answering, Desk, Talk, Watch, asked
from decidendi.grading._model_judge_prompts import (
    material_of,
    messages_for,
    prompt_digests,
    sources_of,
)
from decidendi.grading._model_judge_replies import (
    Report,
    answers_form,
    codes_form,
    content_form,
    general_form,
    questions_form,
    segment_form,
    summary_form,
)
from decidendi.grading._option import content_matches, says_more
from decidendi.grading._segment import MOST
from decidendi.grading._taxonomy import Entry, Taxonomy, kind_of, taxonomy
from decidendi.judgment import BadInputError, Reason, Unmeasured

Detector: TypeAlias = Literal["general", "misinterpretation", "relevance", "hallucination"]
DETECTORS: Final[tuple[Detector, ...]] = get_args(Detector)

KIND_OF: Final[Mapping[str, str]] = {
    "misinterpretation": "misinterpretation",
    "relevance": "irrelevance",
    "hallucination": "hallucination",
}
"""The kind of error that a detector looks for; the general one looks for all."""

VERSION: Final = "1"
"""Raised whenever a label could change that the settings do not show."""

BLOCK: Final = 32
"""Chains graded at a time: enough calls to keep a provider busy, few enough to hold."""


class ModelJudge:
    """Labels chains by asking a model. Close it, if it was given a model to close."""

    def __init__(  # long: one keyword for each thing that can change a label
        self,
        model: Answering,
        name: str,
        *,
        kinds: Taxonomy | None = None,
        detectors: Sequence[str] = (),
        settings: Mapping[str, Any] | None = None,
        designed_on: Sequence[str] = (),
        segmentation: str = "code",
        structured: bool = True,
        begun: bool = False,
    ) -> None:
        """Give it a model.

        Args:
            model: What answers.
            name: The model's.
            kinds: The taxonomy.
            detectors: Which are on, of ``DETECTORS``; every one that the taxonomy has a kind for
                where left out.
            settings: What else can change a label: parameters and arguments of the model.
            designed_on: Collections that its prompts were tried on.
            segmentation: ``code``, or ``judge``: the model takes chains with a text apart anew.
            structured: Whether the provider is told the form of each reply.
            begun: Whether each reply is begun for the model, which must then go on with it.

        Raises:
            BadInputError: on a detector that is not there or has no kind to look for.
        """
        self._taxonomy = kinds or taxonomy()
        self._detectors = _chosen(detectors, self._taxonomy)
        if segmentation not in ("code", "judge"):
            raise BadInputError(f"segmentation {segmentation!r}", remedy="code or judge")
        self._segments = segmentation == "judge"
        self.identity = JudgeIdentity(
            name,
            VERSION,
            self._taxonomy.digest,
            {
                **(settings or {}),
                "detectors": list(self._detectors),
                "prompts": prompt_digests(),
                "segmentation": segmentation,
                "structured": structured,
                "begun": begun,
            },
            tuple(designed_on),
        )
        self.desk = Desk(model, Answers(), structured, begun)

    @property
    def looked_for(self) -> tuple[str, ...]:
        """The kinds of error that the detectors look for."""
        kinds = self._taxonomy.kind_codes
        if "general" in self._detectors:
            return kinds
        sought = {KIND_OF[name] for name in self._detectors}
        return tuple(kind for kind in kinds if kind in sought)

    def keep(self, answers: Answers, watch: Watch | None = None) -> None:
        """Keep answers, and use those that are kept already; begin counting anew."""
        desk = self.desk
        self.desk = Desk(desk.model, answers, desk.structured, desk.begun, watch)

    def segment(self, chains: Sequence[Chain]) -> list[Chain]:
        """Have chains taken apart by the model, if that was asked for; those without text stay."""
        if not self._segments:
            return list(chains)
        places = [at for at, chain in enumerate(chains) if chain.text.strip()]
        self.desk.expect(len(places))
        found = list(chains)
        parts = self.desk.hear([self._segmented(chains[at]) for at in places])
        for at, chain in zip(places, parts, strict=True):
            found[at] = chain
        return found

    def grade(self, chains: Sequence[Chain]) -> list[Labels]:
        """Label chains, in their order."""
        labels: list[Labels] = []
        each = len(self._detectors) + 2 * ("hallucination" in self._detectors)
        self.desk.expect(each * sum(chain.length or 0 for chain in chains))
        for start in range(0, len(chains), BLOCK):
            labels += self._block(chains[start : start + BLOCK])
        return labels

    def _block(self, chains: Sequence[Chain]) -> list[Labels]:
        """Label some chains, their calls together."""
        places = [(i, at) for i, c in enumerate(chains) for at in range(c.length or 0)]
        materials = [material_of(chain) for chain in chains]
        talks = [
            self._report(chains[i], materials[i], at, name)
            for i, at in places
            for name in self._detectors
        ]
        heard = iter(self.desk.hear(talks))
        reports = {place: [next(heard) for _ in self._detectors] for place in places}
        summed = self.desk.hear(
            [self._summary(chains[i], materials[i], at, reports[i, at]) for i, at in places]
        )
        marks = dict(zip(places, summed, strict=True))
        contents = self.desk.hear([self._content(chain) for chain in chains])
        return [
            self._labels(chain, [marks[i, at] for at in range(chain.length or 0)], content)
            for i, (chain, content) in enumerate(zip(chains, contents, strict=True))
        ]

    def _labels(self, chain: Chain, marks: Sequence[Marks], content: Content) -> Labels:
        by = self.identity.by
        about = {"judge": self.desk.tally(chain.id).as_json()}
        if isinstance(chain.premises, Unmeasured):
            return replace(unlabelled(chain, by, chain.premises), content=content, about=about)
        if self.looked_for == self._taxonomy.kind_codes:
            return Labels(chain.id, by, tuple(marks), content, about=about)
        # No premise is sound, or the share of sound ones known, unless all kinds were looked for.
        wholes = tuple(m if isinstance(m, Unmeasured) else None for m in marks)
        partly = Partly(self.looked_for, tuple(marks))
        return Labels(chain.id, by, wholes, content, about=about, partly=partly)

    def _report(
        self, chain: Chain, material: Mapping[str, Any], at: int, detector: str
    ) -> Talk[Report | Unmeasured]:
        """Have one detector look at one premise."""
        number, last = at + 1, _premise(chain, at)
        if detector == "general":
            general = general_form(number)
            messages = messages_for("general", material, last, general.schema)
            return (yield from asked(self.desk, chain.id, messages, general))
        task = detector
        if detector == "hallucination":
            verified = yield from self._verified(chain, material, at)
            if isinstance(verified, Unmeasured):
                return verified
            task, last = "compare", {**last, "verification": verified}
        entries = self._entries([KIND_OF[detector]])
        form = codes_form(detector, number, [entry.code for entry in entries])
        messages = messages_for(task, material, last, form.schema, entries)
        return (yield from asked(self.desk, chain.id, messages, form))

    def _verified(
        self, chain: Chain, material: Mapping[str, Any], at: int
    ) -> Talk[list[dict[str, str]] | Unmeasured]:
        """Have questions about a premise written, and answered from the source without it."""
        form = questions_form(at + 1)
        messages = messages_for("questions", material, _premise(chain, at), form.schema)
        questions = yield from asked(self.desk, chain.id, messages, form)
        if isinstance(questions, Unmeasured):
            return questions
        numbered = {str(n): text for n, text in enumerate(questions, 1)}
        replies = answers_form(len(questions))
        last = {"questions": numbered}
        messages = messages_for("answers", sources_of(chain), last, replies.schema)
        answers = yield from asked(self.desk, chain.id, messages, replies)
        if isinstance(answers, Unmeasured):
            return answers
        return [
            {"question": question, "answer": "not stated" if answer is None else answer}
            for question, answer in zip(questions, answers, strict=True)
        ]

    def _summary(
        self,
        chain: Chain,
        material: Mapping[str, Any],
        at: int,
        reports: Sequence[Report | Unmeasured],
    ) -> Talk[Marks]:
        """Weigh what the detectors report of one premise."""
        for report in reports:
            if isinstance(report, Unmeasured):
                return report
        found = [report for report in reports if isinstance(report, Report) and report.codes]
        if not found:
            return ()
        entries = self._entries(self.looked_for)
        form = summary_form(at + 1, [entry.code for entry in entries])
        said = [
            {"examination": one.detector, "errors": [c for c in one.codes if c], "why": one.why}
            for one in found
        ]
        last = {**_premise(chain, at), "reports": said}
        messages = messages_for("summary", material, last, form.schema, entries)
        findings: tuple[Finding, ...] | Unmeasured
        findings = yield from asked(self.desk, chain.id, messages, form)
        return findings

    def _content(self, chain: Chain) -> Talk[Content]:
        """Compare the conclusion with its option: by code, else by the model where it counts."""
        chosen = chain.chosen
        if isinstance(chosen, Unmeasured) or not chain.conclusion:
            return None
        known = content_matches(chain.conclusion, chain.options, chosen)
        # The class of a wrong conclusion does not depend on it.
        if known is not None or chosen != chain.gold:
            return known
        text = next((o.text for o in chain.options if o.label == chosen), "")
        if not text or not says_more(chain.conclusion, chain.options):
            return None
        form = content_form()
        last = {"conclusion": chain.conclusion, "chosen": {chosen: text}}
        messages = messages_for("content", sources_of(chain), last, form.schema)
        return (yield from asked(self.desk, chain.id, messages, form))

    def _segmented(self, chain: Chain) -> Talk[Chain]:
        form = segment_form(chain.text)
        messages = messages_for("segment", {}, {"text": chain.text}, form.schema)
        parts = yield from asked(self.desk, chain.id, messages, form)
        if isinstance(parts, Unmeasured):
            return replace(chain, premises=parts)
        premises, conclusion = parts
        if not 0 < len(premises) <= MOST:
            why = f"the judge finds {len(premises):,} premises; 1 to {MOST:,} can be graded"
            return replace(chain, premises=Unmeasured(Reason.NOT_CONVERGED, why))
        return replace(chain, premises=premises, conclusion=conclusion)

    def _entries(self, kinds: Sequence[str]) -> list[Entry]:
        return [entry for entry in self._taxonomy.entries() if kind_of(entry.code) in kinds]


def _premise(chain: Chain, at: int) -> dict[str, Any]:
    if isinstance(chain.premises, Unmeasured):
        raise AssertionError("a chain without premises has none to ask about")
    return {"premise": at + 1, "text": chain.premises[at]}


def _chosen(names: Sequence[str], kinds: Taxonomy) -> tuple[Detector, ...]:
    """Return the detectors that are on, in their own order."""
    fit = [name for name in DETECTORS if KIND_OF.get(name, "") in ("", *kinds.kind_codes)]
    for name in names:
        if name not in DETECTORS:
            raise BadInputError(f"no detector {name!r}", remedy=", ".join(DETECTORS))
        if name not in fit:
            what = f"{kinds.name} has no kind {KIND_OF[name]!r} for the detector {name!r}"
            raise BadInputError(what, remedy=f"these fit: {', '.join(fit)}")
    return tuple(name for name in fit if not names or name in names)
