"""Calls of the service by path, as the contract has them."""

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
"""A read is tried so many times in all."""
RETRY_AFTER_MAX_S: Final = 60
"""Who is to wait longer than this is told instead."""
KEPT_ANSWERS_MAX: Final = 32
"""Answers that are kept with their tags; the one used longest ago makes room."""

T = TypeVar("T")
Query = Mapping[str, str | int | float | bool | None]
_PARAMETER: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class _Kept:
    tag: str
    value: Any


class Caller:
    """Sends calls. A read is sent again after 429 and ``overloaded``, as ``retryAfter`` says; a change never is.

    Of answers with an ``ETag`` the body is kept, and given again while nothing has changed: the same object.
    """

    def __init__(self, transport: Transport, timing: Timing | None = None) -> None:
        self.transport = transport
        self.timing: Timing = timing or SystemTiming()
        self._kept: dict[tuple[str, Callable[[Any], Any]], _Kept] = {}

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

        Answers the JSON. ``idempotency_key`` names a change, with 1 to 255 printable characters: sent again under the
        same name it is made once. Raises HmError for a refusal, HmConnectionError without an answer, TrustError where
        another CA answers.
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
        """One read, which ``shape`` makes a value of; without it the JSON as it came."""
        target = target_of(path, parameters, query)
        # Without a shape the answer is whatever JSON the service gives.
        make = cast("Callable[[Any], T]", _as_it_is) if shape is None else shape
        tries = 1
        while True:
            answer = await self._asked(target, make)
            if not isinstance(answer, HmError):
                return answer
            seconds = _retry_after(answer)
            if seconds is None or tries == TRIES_MAX:
                raise answer
            tries += 1
            await pause(self.timing, seconds + self.timing.random())

    async def _asked(self, target: str, make: Callable[[Any], T]) -> T | HmError:
        kept = self._kept.get((target, make))
        headers = {} if kept is None else {"if-none-match": kept.tag}
        answer = await self.transport.request(HttpRequest("GET", target, headers))
        if kept is not None and answer.status == 304:
            return cast("T", self._keep(target, make, kept).value)
        if answer.status >= 400:
            return refusal_in(answer.status, _parsed(answer))
        value = shaped(_body_of(answer), make)
        tag = answer.headers.get("etag")
        if tag is not None:
            self._keep(target, make, _Kept(tag, value))
        return value

    def _keep(self, target: str, make: Callable[[Any], Any], kept: _Kept) -> _Kept:
        key = (target, make)
        self._kept.pop(key, None)
        self._kept[key] = kept
        if len(self._kept) > KEPT_ANSWERS_MAX:
            del self._kept[next(iter(self._kept))]
        return kept


def target_of(path: str, parameters: Mapping[str, str] | None, query: Query | None) -> str:
    """The path with its parameters and query filled in; of the query what is None is left out."""
    given = parameters or {}
    filled = _PARAMETER.sub(lambda found: quote(given.get(found[1], ""), safe=""), path)
    asked = "&".join(
        f"{quote(name, safe='')}={quote(_query_text(value), safe='')}"
        for name, value in (query or {}).items()
        if value is not None
    )
    return f"{filled}?{asked}" if asked else filled


def shaped(body: Any, make: Callable[[Any], T]) -> T:
    """What an answer is, as a value; an answer of another shape is none of the service."""
    try:
        return make(body)
    except (KeyError, TypeError, ValueError) as error:
        raise not_the_service(200) from error


def _as_it_is(body: Any) -> Any:
    return body


def _query_text(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _retry_after(refusal: HmError) -> float | None:
    """Seconds after which a read is worth sending again; None where it is not."""
    if refusal.status != 429 and refusal.code != "overloaded":
        return None
    seconds = 1 if refusal.retry_after is None else refusal.retry_after
    return None if seconds > RETRY_AFTER_MAX_S else seconds


def _body_of(answer: HttpAnswer) -> Any:
    if 200 <= answer.status < 300:
        return _parsed(answer)
    raise refusal_in(answer.status, _parsed(answer))


def _parsed(answer: HttpAnswer) -> Any:
    """The body as JSON where it is that, otherwise as text."""
    if not answer.headers.get("content-type", "").startswith("application/json"):
        return answer.text
    try:
        return json.loads(answer.text)
    except ValueError:
        return answer.text
