"""Tries several places and takes the first that responds."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeVar

from .errors import HmConnectionError, TrustError
from .transport import Timing, pause

NEXT_AFTER_S: Final = 0.25
"""Delay before the next address is tried beside the first."""

P = TypeVar("P")
R = TypeVar("R")


async def first_of(places: Sequence[P], attempt: Callable[[P], Awaitable[R]], timing: Timing) -> R:
    """The first success among the places, which must not be empty.

    The next place is tried when the previous one has failed or after ``NEXT_AFTER_S``; earlier attempts go on.
    The first success cancels all others. If all fail, raises a TrustError if there is one, otherwise the first failure.
    """
    left = deque(places)
    running: set[asyncio.Future[R]] = set()
    failures: list[HmConnectionError | TrustError] = []
    try:
        while left or running:
            if left:
                running.add(asyncio.ensure_future(attempt(left.popleft())))
            done = await _first_done(running, timing if left else None)
            for attempted in done:
                running.discard(attempted)
                try:
                    return attempted.result()
                except (HmConnectionError, TrustError) as error:
                    failures.append(error)
    finally:
        for attempted in running:
            attempted.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    raise next((failure for failure in failures if isinstance(failure, TrustError)), failures[0])


async def _first_done(running: set[asyncio.Future[R]], timing: Timing | None) -> list[asyncio.Future[R]]:
    """Waits for the first finished attempt; returns an empty list if the delay of ``timing`` ends before."""
    turn = None if timing is None else asyncio.ensure_future(pause(timing, NEXT_AFTER_S))
    waited: set[asyncio.Future[Any]] = {*running} if turn is None else {*running, turn}
    try:
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if turn is not None:
            turn.cancel()
            await asyncio.gather(turn, return_exceptions=True)
    return [attempted for attempted in running if attempted.done()]
