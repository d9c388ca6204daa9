"""A small OPA server for tests: the part of the REST API we use, evaluated by regorus."""

from __future__ import annotations

import gc
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

import regorus


class FakeOpa:
    """What the server holds, and how it misbehaves when told to."""

    def __init__(self) -> None:
        self.policies: dict[str, str] = {}
        self.requests: list[str] = []
        self.slow = 0.0
        self.drop_next = False
        self.meddle = False
        self.url = ""

    def put(self, name: str, text: str) -> None:
        """Take a policy; raises ``RuntimeError`` if it cannot be compiled with what is held."""
        regorus.Engine().add_policy(name, text)
        there = any("package lib" in held for held in self.policies.values())
        if "data.lib." in text and not there:
            raise RuntimeError("error: undefined function data.lib.within")
        self.policies[name] = text

    def evaluate(self, query: str, data: str) -> Any:
        engine = regorus.Engine()
        for name, text in self.policies.items():
            engine.add_policy(name, text)
        engine.set_input_json(data)
        return json.loads(engine.eval_rule_as_json(query))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    fake: FakeOpa


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _answer(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        with suppress(ConnectionError):  # the client may have stopped waiting
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    def _received(self) -> tuple[FakeOpa, str, str]:
        """Return the fake, the policy's name, and the body."""
        self.server.fake.requests.append(f"{self.command} {self.path}")
        name = unquote(urlsplit(self.path).path.removeprefix("/v1/policies/"))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        return self.server.fake, name, body

    def do_GET(self) -> None:
        fake, _, _ = self._received()
        self._answer(200, {"result": [{"id": k, "raw": v} for k, v in fake.policies.items()]})

    def do_DELETE(self) -> None:
        fake, name, _ = self._received()
        fake.policies.pop(name)
        self._answer(200, {})

    def do_PUT(self) -> None:
        fake, name, text = self._received()
        try:
            fake.put(name, text)
        except RuntimeError as error:
            place = {"file": name, "row": 3, "col": 1}
            wrong = {"code": "rego_parse_error", "message": _said(error), "location": place}
            self._answer(400, {"code": "invalid_parameter", "message": "bad", "errors": [wrong]})
        else:
            self._answer(200, {})

    def do_POST(self) -> None:
        fake, _, body = self._received()
        if fake.drop_next:
            fake.drop_next = False
            self.close_connection = True
            return
        time.sleep(fake.slow)
        query = "data." + urlsplit(self.path).path.removeprefix("/v1/data/").replace("/", ".")
        try:
            value = fake.evaluate(query, json.dumps(json.loads(body)["input"]))
        except RuntimeError as error:
            self._answer(500, {"code": "internal_error", "message": _said(error)})
            return
        if fake.meddle:
            fake.policies["someone/else"] = "package other"
        self._answer(200, {} if value in (None, "<undefined>") else {"result": value})


def _said(error: RuntimeError) -> str:
    return str(error).partition("error: ")[2].split("\n")[0]


@contextmanager
def serving() -> Iterator[FakeOpa]:
    """Serve on a free port of this machine."""
    # An engine must be dropped by the thread that made it: none may be left for the server's
    # threads to collect.
    gc.collect()
    fake = FakeOpa()
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.fake = fake
        fake.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield fake
        finally:
            server.shutdown()
            thread.join()
