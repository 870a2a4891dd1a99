"""Plays a shared case of a client that looks for its gateway at several addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hm_gateway_client import HmConnectionError, TrustError
from hm_gateway_client.first_of import first_of
from played import Json, ManualTiming, settled


class PlayedReach:
    """Plays the behaviour of each address."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._timing = ManualTiming()
        self._tries: dict[str, asyncio.Future[str]] = {}
        self._errors: dict[str, HmConnectionError | TrustError] = {}
        self._fresh: list[str] = []
        self._reached: object = None
        self._looking = asyncio.ensure_future(self._look(addresses))

    async def play(self, steps: Sequence[Json]) -> None:
        for index, step in enumerate(steps):
            [(kind, value)] = step.items()
            await settled()
            where = f"step {index + 1}, {step}"
            match kind:
                case "passes":
                    await self._timing.advance(value / 1000)
                case "answers":
                    self._tries[value].set_result(value)
                case "fails" | "distrusts":
                    self._fail(value, kind)
                case "tries":
                    assert self._fresh == value, where
                    self._fresh = []
                case "gaveUp":
                    assert [address for address, attempt in self._tries.items() if attempt.cancelled()] == value, where
                case "is":
                    assert self._reached == value, where
                case "failed":
                    assert self._reached is self._errors[value], where
                case _:
                    raise AssertionError(where)
        await self._looking

    async def _look(self, addresses: Sequence[str]) -> None:
        try:
            self._reached = await first_of(addresses, self._attempt, self._timing)
        except (HmConnectionError, TrustError) as error:
            self._reached = error

    async def _attempt(self, address: str) -> str:
        self._fresh.append(address)
        self._tries[address] = asyncio.get_running_loop().create_future()
        return await self._tries[address]

    def _fail(self, address: str, kind: str) -> None:
        error = HmConnectionError("Silent.", is_sent=False) if kind == "fails" else TrustError("AA", "BB")
        self._errors[address] = error
        self._tries[address].set_exception(error)
