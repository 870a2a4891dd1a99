"""Calls of the service by path and method."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast
from urllib.parse import quote

from .errors import HmError, not_the_service, refusal_in
from .transport import HttpAnswer, HttpRequest, SystemTiming, Timing, Transport, pause

TRIES_MAX: Final = 3
"""Tries of one read, the first included."""
RETRY_AFTER_MAX_S: Final = 60
"""A longer ``retryAfter`` is not awaited: the call fails at once."""
CACHED_ANSWERS_MAX: Final = 32
"""Size of the response cache; the least recently used response makes room."""

T = TypeVar("T")
Query = Mapping[str, str | int | float | bool | None]
_PARAMETER: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class _CachedAnswer:
    tag: str
    value: Any


class Caller:
    """Calls of the service. Reads are retried after 429 and ``overloaded``, as ``retryAfter`` says; changes never are.

    A response with an ``ETag`` is cached: while nothing has changed, the caller gets the same object again.
    """

    def __init__(self, transport: Transport, timing: Timing | None = None) -> None:
        self.transport = transport
        self.timing: Timing = timing or SystemTiming()
        self._cache: dict[tuple[str, Callable[[Any], Any]], _CachedAnswer] = {}

    async def call(
        self,
        method: str,
        path: str,
        *,
        parameters: Mapping[str, str] | None = None,
        query: Query | None = None,
        body: object = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """One call: ``call("post", "/v1/devices/{id}/control", parameters={"id": id}, body={"op": "open"})``.

        Returns the JSON. ``idempotency_key``, 1 to 255 printable characters, is unique to a change: the gateway makes
        the change once per key. Raises HmError for a refusal, HmConnectionError without a response, TrustError for
        another CA.
        """
        if method.lower() == "get":
            return await self.read(path, parameters=parameters, query=query)
        headers: dict[str, str] = {}
        if body is not None:
            headers["content-type"] = "application/json"
        if idempotency_key is not None:
            headers["idempotency-key"] = idempotency_key
        text = None if body is None else json.dumps(body)
        target = target_of(path, parameters, query)
        return _body_of(await self.transport.request(HttpRequest(method.upper(), target, headers, text)))

    async def read(
        self,
        path: str,
        shape: Callable[[Any], T] | None = None,
        *,
        parameters: Mapping[str, str] | None = None,
        query: Query | None = None,
    ) -> T:
        """Reads a path. ``shape`` parses the JSON; without it the JSON is returned."""
        target = target_of(path, parameters, query)
        # Without a shape the result is plain JSON.
        make = cast("Callable[[Any], T]", _as_it_is) if shape is None else shape
        tries = 1
        while True:
            answer = await self._get(target, make)
            if not isinstance(answer, HmError):
                return answer
            seconds = _retry_after(answer)
            if seconds is None or tries == TRIES_MAX:
                raise answer
            tries += 1
            await pause(self.timing, seconds + self.timing.random())

    async def _get(self, target: str, make: Callable[[Any], T]) -> T | HmError:
        cached = self._cache.get((target, make))
        headers = {} if cached is None else {"if-none-match": cached.tag}
        answer = await self.transport.request(HttpRequest("GET", target, headers))
        if cached is not None and answer.status == 304:
            return cast("T", self._keep(target, make, cached).value)
        if answer.status >= 400:
            return refusal_in(answer.status, _parsed(answer))
        value = shaped(_body_of(answer), make)
        tag = answer.headers.get("etag")
        if tag is not None:
            self._keep(target, make, _CachedAnswer(tag, value))
        return value

    def _keep(self, target: str, make: Callable[[Any], Any], answer: _CachedAnswer) -> _CachedAnswer:
        key = (target, make)
        self._cache.pop(key, None)
        self._cache[key] = answer
        if len(self._cache) > CACHED_ANSWERS_MAX:
            del self._cache[next(iter(self._cache))]
        return answer


def target_of(path: str, parameters: Mapping[str, str] | None, query: Query | None) -> str:
    """The path with its parameters and query filled in; query values of None are left out."""
    values = parameters or {}
    filled = _PARAMETER.sub(lambda found: quote(values.get(found[1], ""), safe=""), path)
    pairs = "&".join(
        f"{quote(name, safe='')}={quote(_query_text(value), safe='')}"
        for name, value in (query or {}).items()
        if value is not None
    )
    return f"{filled}?{pairs}" if pairs else filled


def shaped(body: Any, make: Callable[[Any], T]) -> T:
    """Parses a response; a response of another shape does not come from the service."""
    try:
        return make(body)
    except (KeyError, TypeError, ValueError) as error:
        raise not_the_service(200) from error


def _as_it_is(body: Any) -> Any:
    return body


def _query_text(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _retry_after(refusal: HmError) -> float | None:
    """Seconds before a retry of a read; None if a retry is pointless."""
    if refusal.status != 429 and refusal.code != "overloaded":
        return None
    seconds = 1 if refusal.retry_after is None else refusal.retry_after
    return None if seconds > RETRY_AFTER_MAX_S else seconds


def _body_of(answer: HttpAnswer) -> Any:
    if 200 <= answer.status < 300:
        return _parsed(answer)
    raise refusal_in(answer.status, _parsed(answer))


def _parsed(answer: HttpAnswer) -> Any:
    """The parsed body of a JSON response, the text of any other."""
    if not answer.headers.get("content-type", "").startswith("application/json"):
        return answer.text
    try:
        return json.loads(answer.text)
    except ValueError:
        return answer.text
