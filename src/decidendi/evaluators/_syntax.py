"""Whether the policies and code among an evaluator's sources can be read at all.

Asked before a run: otherwise every case of it would be executed to be unmeasured.
"""

from __future__ import annotations

from collections.abc import Iterator

from decidendi.evaluators._evaluator import Evaluator
from decidendi.evaluators._manifest import MANIFEST
from decidendi.evaluators._modules import parsed
from decidendi.evaluators._rego import message_of
from decidendi.judgment import BadInputError, Place


def refuse_unreadable(evaluator: Evaluator) -> None:
    """Parse each policy and each code source; for Rego, look whether the query's rule is there.

    An OPA server reads its policies itself, in the Rego that it speaks.

    Raises:
        BadInputError: with file and line of the first that cannot be parsed.
    """
    engine = evaluator.identity.engine
    try:
        if engine == "rego":
            _rego(evaluator)
        elif engine == "cedar":
            _cedar(evaluator)
        for path, text in _texts(evaluator, "python"):
            parsed(text, path)
    except BadInputError as error:
        lists = "decidendi check FOLDER lists all that is wrong"
        error.remedy = f"{error.remedy}; {lists}" if error.remedy else lists
        raise


def _texts(evaluator: Evaluator, form: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file that is policy or code."""
    for kind, told in evaluator.program.formats.items():
        if told != form:
            continue
        content = evaluator.sources[kind].content
        files = content if isinstance(content, dict) else {evaluator.paths.get(kind, kind): content}
        for path, text in files.items():
            if isinstance(text, str):
                yield f"{evaluator.origin}/{path}", text


def _rego(evaluator: Evaluator) -> None:
    import regorus

    engine = regorus.Engine()
    for path, text in _texts(evaluator, "rego"):
        try:
            engine.add_policy(path, text)
        except RuntimeError as error:
            what, _, line = message_of(error)
            place = Place(file=path, line=line)
            raise BadInputError(
                f"not valid Rego: {what}", remedy="correct it", place=place
            ) from None
    query = str(evaluator.program.settings["query"])
    try:
        engine.set_input_json("{}")
        engine.eval_rule(query)
    except RuntimeError as error:  # others are what policies may say about an empty input
        if "not a valid rule path" in str(error):
            packages = ", ".join(sorted(set(engine.get_packages())))
            place = Place(file=f"{evaluator.origin}/{MANIFEST}", field="adjudicator.query")
            raise BadInputError(
                f"no policy has the rule {query}",
                remedy=f"the packages are: {packages}",
                place=place,
            ) from None


def _cedar(evaluator: Evaluator) -> None:
    import cedarpy

    for path, text in _texts(evaluator, "cedar"):
        try:
            cedarpy.PolicySet.from_str(text)
        except ValueError as error:
            what = f"not valid Cedar: {error}"
            raise BadInputError(what, remedy="correct it", place=Place(file=path)) from None
