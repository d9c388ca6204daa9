"""The Rego adjudicator on an OPA server, through its REST API.

The server holds one version of the policies at a time, under names that begin with
``decidendi/``: a batch is decided version by version, and after each one the server is asked
whether it still holds exactly those. So another client that changes them is noticed, and what
was decided meanwhile is not taken for a verdict.
"""

from __future__ import annotations

import http.client
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

import orjson

from decidendi.evaluators._answers import error_cell, failed, labels_of
from decidendi.evaluators._rego import answered, modules_of, places
from decidendi.judgment import Identity, Reason, Source, State, Unmeasured, Verdict

_OURS = "decidendi/"
_PATIENCE = 30.0
"""Seconds to wait for an answer where the user sets no limit."""


class _ServerError(Exception):
    """The server refused something; the text says what in its words."""


class OpaAdjudicator:
    """Evaluates one rule on a server, with the inputs of ``RegoAdjudicator``."""

    def __init__(
        self,
        identity: Identity,
        query: str,
        policies: Iterable[str],
        url: str,
        *,
        timeout: float | None = None,
    ) -> None:
        """Make one; nothing is sent yet.

        Args:
            identity: What it is.
            query: The path of the rule whose value is the verdict.
            policies: The kinds whose content is policy text.
            url: Where the server listens.
            timeout: Seconds to wait for each answer.
        """
        self._identity = identity
        self._labels = labels_of(identity.verdicts)
        self._places = places(identity.kinds, policies)
        self._server = _Server(url, timeout or _PATIENCE)
        # Strict: an error in a built-in function is an error, as in the embedded engine.
        path = query.removeprefix("data.").replace(".", "/")
        self._path = f"/v1/data/{path}?strict-builtin-errors=true"
        self._installed: dict[str, str] | None = None

    @property
    def identity(self) -> Identity:
        """What this adjudicator is."""
        return self._identity

    def adjudicate(self, states: Sequence[State]) -> list[Verdict]:
        """Decide each state, in order; those of one version of the policies together."""
        groups: dict[tuple[str, ...], list[int]] = {}
        for n, state in enumerate(states):
            groups.setdefault(tuple([state.key[i] for i in self._places[0]]), []).append(n)
        verdicts: dict[int, Verdict] = {}
        for members in groups.values():
            decided = self._decide_group([states[n] for n in members])
            verdicts.update(zip(members, decided, strict=True))
        return [verdicts[n] for n in range(len(states))]

    def draw(self, states: Sequence[State], repeats: Sequence[int]) -> list[Verdict]:
        """Draw one verdict per state: policies may use random numbers, the time or the network."""
        return self.adjudicate(states)

    def close(self) -> None:
        """Close the connection; the policies stay on the server."""
        self._server.close()

    def _decide_group(self, states: Sequence[State]) -> list[Verdict]:
        """Decide states that share one version of the policies."""
        policies = [states[0].sources[i] for i in self._places[0]]
        problem: Unmeasured | None = None
        decided: list[Verdict] = []
        try:
            self._install(policies)
            decided = [self._decide(state) for state in states]
            if self._held() != self._installed:
                self._installed = None
                problem = failed("another client changed the policies on the server")
        except BaseException as error:
            self._installed = None
            problem = _failure(error)
        return decided if problem is None else [problem] * len(states)

    def _decide(self, state: State) -> Verdict:
        data = b"".join([p for i, head in self._places[1] for p in (head, state.sources[i].data)])
        try:
            answer = self._server.ask("POST", self._path, b'{"input":{' + data + b"}}")
        except BaseException as error:
            return _failure(error)
        return answered(answer.get("result"), self._labels)

    def _install(self, policies: Sequence[Source]) -> None:
        """Make the server hold exactly these policies. Raises ``_ServerError``."""
        wanted = {_OURS + path: text for path, text in modules_of(policies)}
        if wanted == self._installed:
            return
        held = self._held()
        if foreign := sorted(name for name in held if not name.startswith(_OURS)):
            raise _ServerError(f"the server holds other policies, which may matter: {foreign[0]}")
        self._installed = None
        for name in held:
            self._server.ask("DELETE", f"/v1/policies/{quote(name)}")
        # A policy that uses another is refused until that one is there, so try in rounds.
        waiting = wanted
        while waiting:
            refused: dict[str, str] = {}
            for name, text in waiting.items():
                try:
                    self._server.ask("PUT", f"/v1/policies/{quote(name)}", text.encode())
                except _ServerError as error:
                    refused[name], last = text, error
            if len(refused) == len(waiting):
                raise last
            waiting = refused
        self._installed = wanted

    def _held(self) -> dict[str, str]:
        listed = self._server.ask("GET", "/v1/policies").get("result") or []
        return {policy["id"]: policy["raw"] for policy in listed}


class _Server:
    """One kept-alive connection."""

    def __init__(self, url: str, timeout: float) -> None:
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        self._connection = kind(parts.hostname or "", parts.port, timeout=timeout)
        self._base = parts.path.rstrip("/")

    def ask(self, method: str, path: str, body: bytes | None = None) -> Mapping[str, Any]:
        """Send one request. Raises ``_ServerError`` if refused, ``OSError`` if not answered."""
        kind = "text/plain" if method == "PUT" else "application/json"
        for attempt in (1, 2):
            try:
                self._connection.request(method, self._base + path, body, {"Content-Type": kind})
                response = self._connection.getresponse()
                data = response.read()
                break
            except TimeoutError:
                self.close()
                raise
            except (OSError, http.client.HTTPException):
                self.close()
                if attempt == 2:  # the first may have met a connection that the server let go
                    raise
        try:
            answer = orjson.loads(data) if data else {}
        except orjson.JSONDecodeError:
            answer = None
        if response.status >= 400 or not isinstance(answer, dict):
            raise _ServerError(_said(answer) or f"the server answered {response.status}")
        return answer

    def close(self) -> None:
        """Close the connection; the next request opens it again."""
        self._connection.close()


def _said(answer: Any) -> str:  # noqa: ANN401 - whatever the server sent
    """Return the server's own message, the most precise one there is."""
    if not isinstance(answer, dict):
        return ""
    errors = answer.get("errors")
    first = errors[0] if isinstance(errors, list) and errors else {}
    place = first.get("location") or {} if isinstance(first, dict) else {}
    inner = first.get("message", "") if isinstance(first, dict) else str(first)
    file = str(place.get("file", "")).removeprefix(_OURS)
    where = f"{file}:{place.get('row', '')}: " if file else ""
    return f"{where}{inner}" if inner else str(answer.get("message", ""))


def _failure(error: BaseException) -> Unmeasured:
    if isinstance(error, TimeoutError):
        return failed("the OPA server did not answer in time", Reason.TIMEOUT)
    if isinstance(error, _ServerError):
        return failed(str(error))
    if isinstance(error, OSError | http.client.HTTPException):
        return failed("the OPA server cannot be reached")
    return error_cell(error)
