"""Several places tried beside each other, for the first answer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeVar

from .errors import HmConnectionError, TrustError
from .transport import Timing, pause

NEXT_AFTER_S: Final = 0.25
"""An address that has not answered by then no longer holds up the next."""

P = TypeVar("P")
R = TypeVar("R")


async def first_of(places: Sequence[P], attempt: Callable[[P], Awaitable[R]], timing: Timing) -> R:
    """The first answer from any of the places, of which there is one at least.

    Each is tried when one before it has failed or has had its time, and those under way go on beside it; what has lost
    is cancelled. Raises what says most when all have failed: another CA, or else the first failure.
    """
    left = deque(places)
    running: set[asyncio.Future[R]] = set()
    failures: list[HmConnectionError | TrustError] = []
    try:
        while left or running:
            if left:
                running.add(asyncio.ensure_future(attempt(left.popleft())))
            failed = await _first_done(running, timing if left else None)
            for each in failed:
                running.discard(each)
                try:
                    return each.result()
                except (HmConnectionError, TrustError) as error:
                    failures.append(error)
    finally:
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    raise next((each for each in failures if isinstance(each, TrustError)), failures[0])


async def _first_done(running: set[asyncio.Future[R]], timing: Timing | None) -> list[asyncio.Future[R]]:
    """Those that are done once one is; none where ``timing`` has had the next one's turn come before."""
    turn = None if timing is None else asyncio.ensure_future(pause(timing, NEXT_AFTER_S))
    waited: set[asyncio.Future[Any]] = {*running} if turn is None else {*running, turn}
    try:
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if turn is not None:
            turn.cancel()
            await asyncio.gather(turn, return_exceptions=True)
    return [each for each in running if each.done()]
