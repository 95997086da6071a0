"""A small client for a Kubernetes API server that speaks raw JSON.

The `kubernetes` package reads the kubeconfig and keeps the connections; its model classes are
left out since they cannot keep up with thousands of pods.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import yaml

from kep_preemption.errors import InputError, PreemptionError, RetryableError

JSON = dict[str, Any]
_RETRYABLE = frozenset({409, 429, 500, 502, 503, 504})
_BROKEN_KUBECONFIG = (OSError, ValueError, TypeError, AttributeError, KeyError, yaml.YAMLError)
_REMEDY = "see what the API server says"
_REMEDIES = {
    401: "the API server does not know the kubeconfig's user; have its credentials run out?",
    403: "the kubeconfig's user needs more rights, or its credentials are not sent at all",
}
MERGE_PATCH = "application/merge-patch+json"


class ApiError(PreemptionError):
    """The API server refused a request; `status` is the HTTP status, 404 for what is not there."""

    def __init__(self, place: str, status: int, problem: str) -> None:
        self.status = status
        super().__init__(place, f"HTTP {status}: {problem}", _REMEDIES.get(status, _REMEDY))


class RetryableApiError(ApiError, RetryableError):
    """The API server refused for now: a conflict, a limit, or a fault of its own."""


class ConnectionLostError(InputError, RetryableError):
    """The API server could not be reached, or hung up."""


class ApiClient:
    """Requests to one API server.

    Raises (every method): ConnectionLostError when the server cannot be reached, InputError when
    it answers no JSON, ApiError when it refuses, RetryableApiError when a later attempt may
    succeed.
    """

    def __init__(self, kubeconfig: Path, context: str | None = None) -> None:
        import urllib3
        from kubernetes import client, config

        self.place = str(kubeconfig)
        configuration = client.Configuration()
        try:
            config.load_kube_config(str(kubeconfig), context, configuration)  # type: ignore[no-untyped-call]
        except (*_BROKEN_KUBECONFIG, config.ConfigException) as error:
            raise InputError(
                self.place,
                f"is not a usable kubeconfig: {error}",
                "try `kubectl --kubeconfig FILE get nodes` with it",
            ) from error
        configuration.retries = False
        if not configuration.verify_ssl:
            # The kubeconfig chose so; one warning for each request would bury everything else.
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        self._client = client.ApiClient(configuration)

    def close(self) -> None:
        """Drop the connections."""
        self._client.rest_client.pool_manager.clear()

    def get(self, path: str, **query: str) -> JSON:
        """GET `path`."""
        return self._json("GET", path, None, query)

    def post(self, path: str, body: JSON) -> JSON:
        """POST `body` to `path`."""
        return self._json("POST", path, body, {})

    def patch(self, path: str, body: JSON) -> JSON:
        """PATCH `path` with a JSON merge patch."""
        return self._json("PATCH", path, body, {}, MERGE_PATCH)

    def delete(self, path: str, body: JSON | None = None, **query: str) -> bool:
        """DELETE `path`; False when there was nothing to delete."""
        try:
            self._json("DELETE", path, body, query)
        except ApiError as error:
            if error.status == 404:
                return False
            raise
        return True

    def watch(self, path: str, resource_version: str, seconds: int, **query: str) -> Iterator[JSON]:
        """Yield the watch events of `path` until the server ends the watch after `seconds`."""
        import urllib3

        query |= {
            "watch": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(seconds),
        }
        response = self._request("GET", path, None, query, "application/json", seconds + 10)
        pending = b""
        try:
            for chunk in response.stream(65536, decode_content=True):
                *lines, pending = (pending + chunk).split(b"\n")
                for line in filter(None, lines):
                    event = json.loads(line)
                    if event.get("type") == "ERROR":
                        status = event.get("object", {})
                        raise RetryableApiError(
                            path, int(status.get("code", 410)), str(status.get("message", "watch"))
                        )
                    yield event
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            raise _dropped(path, error) from error
        finally:
            response.release_conn()

    def _json(
        self,
        method: str,
        path: str,
        body: JSON | None,
        query: Mapping[str, str],
        content_type: str = "application/json",
    ) -> JSON:
        response = self._request(method, path, body, query, content_type, 30)
        try:
            found: JSON = json.loads(response.data)
        except ValueError as error:
            raise InputError(
                f"{method} {path}",
                "the answer is not JSON",
                "is this address a Kubernetes API server?",
            ) from error
        return found

    def _request(
        self,
        method: str,
        path: str,
        body: JSON | None,
        query: Mapping[str, str],
        content_type: str,
        timeout: int,
    ) -> Any:  # noqa: ANN401 - urllib3's response, which the kubernetes package leaves untyped
        import urllib3

        headers = {"Content-Type": content_type, "Accept": "application/json"}
        for setting in self._client.configuration.auth_settings().values():
            if setting["in"] == "header":
                headers[setting["key"]] = setting["value"]
        host = self._client.configuration.host
        try:
            response = self._client.rest_client.pool_manager.request(
                method,
                f"{host}{path}?{urlencode(query)}" if query else host + path,
                body=None if body is None else json.dumps(body).encode(),
                headers=headers,
                timeout=timeout,
                preload_content="watch" not in query,
                retries=False,
            )
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise _dropped(f"{method} {host}{path}", error) from error
        if response.status >= 400:
            kind = RetryableApiError if response.status in _RETRYABLE else ApiError
            raise kind(f"{method} {path}", response.status, _message(response.data))
        return response


def _dropped(place: str, error: Exception) -> ConnectionLostError:
    return ConnectionLostError(
        place,
        f"the connection failed: {error}",
        "check that the API server runs and that the kubeconfig names its address",
    )


def _message(data: bytes) -> str:
    try:
        return str(json.loads(data)["message"])
    except (ValueError, KeyError, TypeError):
        return data[:200].decode("utf-8", "replace")
