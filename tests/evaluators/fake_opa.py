"""A small OPA server for tests: the part of the REST API we use, evaluated by regorus."""

from __future__ import annotations

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

    def compiled(self) -> Any:
        engine = regorus.Engine()
        for name, text in self.policies.items():
            engine.add_policy(name, text)
        return engine


@contextmanager
def serving() -> Iterator[FakeOpa]:
    fake = FakeOpa()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def _answer(self, status: int, body: object) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with suppress(ConnectionError):  # the client may have stopped waiting
                self.wfile.write(data)

        def _body(self) -> str:
            return self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()

        def _name(self) -> str:
            return unquote(urlsplit(self.path).path.removeprefix("/v1/policies/"))

        def do_GET(self) -> None:
            fake.requests.append(f"GET {self.path}")
            listed = [{"id": k, "raw": v} for k, v in fake.policies.items()]
            self._answer(200, {"result": listed})

        def do_DELETE(self) -> None:
            fake.requests.append(f"DELETE {self.path}")
            fake.policies.pop(self._name())
            self._answer(200, {})

        def do_PUT(self) -> None:
            fake.requests.append(f"PUT {self.path}")
            text = self._body()
            try:
                trial = regorus.Engine()
                trial.add_policy(self._name(), text)
                if "data.lib." in text and not any(
                    "package lib" in p for p in fake.policies.values()
                ):
                    raise RuntimeError("error: undefined function data.lib.within")
            except RuntimeError as error:
                message = str(error).partition("error: ")[2].split("\n")[0]
                place = {"file": self._name(), "row": 3, "col": 1}
                errors = [{"code": "rego_parse_error", "message": message, "location": place}]
                self._answer(400, {"code": "invalid_parameter", "message": "bad", "errors": errors})
                return
            fake.policies[self._name()] = text
            self._answer(200, {})

        def do_POST(self) -> None:
            fake.requests.append(f"POST {self.path}")
            body = self._body()
            if fake.drop_next:
                fake.drop_next = False
                self.close_connection = True
                return
            if fake.slow:
                time.sleep(fake.slow)
            engine = fake.compiled()
            engine.set_input_json(json.dumps(json.loads(body)["input"]))
            query = "data." + urlsplit(self.path).path.removeprefix("/v1/data/").replace("/", ".")
            if fake.meddle:
                fake.policies["someone/else"] = "package other"
            try:
                value = json.loads(engine.eval_rule_as_json(query))
            except RuntimeError as error:
                message = str(error).partition("error: ")[2].split("\n")[0]
                self._answer(500, {"code": "internal_error", "message": message})
                return
            self._answer(200, {} if value in (None, "<undefined>") else {"result": value})

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
