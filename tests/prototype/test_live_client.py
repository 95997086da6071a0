from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kep_preemption.errors import InputError
from kep_preemption.live.client import ApiClient, ApiError, RetryableApiError
from kep_preemption.live.e2e import run_e2e

TOKEN = "a-token-of-the-test"


class Handler(BaseHTTPRequestHandler):
    """Answers that a broken or busy API server gives; not a stand-in for a working one."""

    protocol_version = "HTTP/1.1"
    last_path = ""

    def do_GET(self) -> None:
        Handler.last_path = self.path
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.startswith("/drop"):
            self._hang_up()
            return
        if self.path.startswith("/half-watch"):
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            event = json.dumps({"type": "ADDED", "object": {"n": 1}}).encode() + b"\n"
            self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
            self.wfile.flush()
            self._hang_up()
            return
        if self.path.startswith("/gone-watch"):
            event = {"type": "ERROR", "object": {"code": 410, "message": "too old"}}
            self._answer(200, json.dumps(event) + "\n")
        elif self.path.startswith("/html"):
            self._answer(200, "<html>a proxy's page</html>")
        elif self.path.startswith("/busy"):
            self._answer(429, json.dumps({"message": "too many requests"}))
        elif self.path.startswith("/missing"):
            self._answer(404, json.dumps({"message": "not found"}))
        else:
            self._answer(200, json.dumps({"seen": self.headers.get("authorization", "")}))

    do_DELETE = do_GET

    def _hang_up(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def _answer(self, status: int, text: str) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def kubeconfig(folder: Path, server: str) -> Path:
    path = folder / "kubeconfig"
    path.write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "c",
                "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
                "clusters": [{"name": "k", "cluster": {"server": server}}],
                "users": [{"name": "u", "user": {"token": TOKEN}}],
            }
        )
    )
    return path


@pytest.fixture
def api(tmp_path: Path) -> Iterator[ApiClient]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    client = ApiClient(kubeconfig(tmp_path, f"http://127.0.0.1:{server.server_port}"))
    yield client
    client.close()
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_token_of_the_kubeconfig_is_sent(api: ApiClient) -> None:
    assert api.get("/ok") == {"seen": f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    ("path", "kind", "words"),
    [
        ("/drop", InputError, "connection failed"),
        ("/html", InputError, "not JSON"),
        ("/busy", RetryableApiError, "too many requests"),
        ("/missing", ApiError, "not found"),
    ],
)
def test_a_fault_names_the_request(
    api: ApiClient, path: str, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words) as caught:
        api.get(path)
    assert path in str(caught.value)


def test_deleting_what_is_gone_is_no_error(api: ApiClient) -> None:
    assert api.delete("/missing") is False
    with pytest.raises(RetryableApiError):
        api.delete("/busy")


def test_a_watch_that_breaks_off_says_so(api: ApiClient) -> None:
    events = api.watch("/half-watch", "1", 5)
    assert next(events)["object"] == {"n": 1}
    with pytest.raises(InputError, match="connection failed"):
        next(events)


def test_a_watch_of_a_version_that_is_gone_is_retryable(api: ApiClient) -> None:
    with pytest.raises(RetryableApiError, match="too old"):
        list(api.watch("/gone-watch", "1", 5))


@pytest.mark.parametrize("text", ["", "not: [a kubeconfig", "a: b", "[]", "apiVersion: v1"])
def test_a_broken_kubeconfig_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken"
    path.write_text(text)
    with pytest.raises(InputError, match="broken"):
        run_e2e(str(path))


def test_a_missing_kubeconfig_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such kubeconfig"):
        run_e2e(str(tmp_path / "nowhere"))


def test_nobody_listens(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="connection failed"):
        run_e2e(str(kubeconfig(tmp_path, "http://127.0.0.1:9")))


@pytest.mark.parametrize(("status", "words"), [(401, "credentials run out"), (403, "more rights")])
def test_a_refusal_of_the_user_points_to_the_credentials(status: int, words: str) -> None:
    assert words in ApiError("GET /", status, "refused").remedy


def test_a_query_is_sent_along_with_a_body(api: ApiClient) -> None:
    assert api.delete("/ok", {"kind": "DeleteOptions"}, labelSelector="a=b")
    assert Handler.last_path == "/ok?labelSelector=a%3Db"
