"""A model of a judge for the tests: sound replies to every task, unless told otherwise."""

from __future__ import annotations

import json

from decidendi.grading import ModelJudge
from decidendi.models import Question, Reply, Usage


class Told:
    """Answers each task by a function of what stands in the last line."""

    def __init__(self, **replies):
        self.replies = replies
        self.asked: list[tuple[str, str]] = []
        self.questions: list[Question] = []

    def ask(self, questions, done):
        for place, question in enumerate(questions):
            self.questions.append(question)
            prompt = question.messages[1][1]
            task = prompt.split("\nTask: ")[-1].split("\n")[0]
            last = json.loads(prompt.splitlines()[-1])
            repair = len(question.messages) > 2
            self.asked.append((task, "again" if repair else "first"))
            said = self.replies[task](last, repair) if task in self.replies else SOUND[task](last)
            done(place, said if isinstance(said, Reply) else Reply(said, usage=Usage(10, 5, 0.25)))

    def close(self):
        pass


def codes(*named):
    return lambda last, *_: json.dumps(
        {"premise": last["premise"], "why": "w", "errors": list(named)}
    )


SOUND = {
    "general": lambda last: json.dumps({"premise": last["premise"], "why": "w", "error": False}),
    "misinterpretation": codes(),
    "relevance": codes(),
    "questions": lambda last: json.dumps({"premise": last["premise"], "questions": ["When?"]}),
    "answers": lambda last: json.dumps(
        {"answers": [{"question": 1, "answer": "May 1", "stated": True}]}
    ),
    "compare": codes(),
    "content": lambda last: json.dumps({"why": "w", "agrees": "yes"}),
}
TEMPORAL = "misinterpretation.temporal"


def summary(*named):
    return lambda last, *_: json.dumps(
        {"premise": last["premise"], "errors": [{"why": "because", "code": c} for c in named]}
    )


def graded(model, chains, **how):
    judge = ModelJudge(model, "toy/model", **how)
    return judge, judge.grade(chains)
