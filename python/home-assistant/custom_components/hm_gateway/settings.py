"""The settings of units (Spec 2.7): which there are, and their values, each unit read once for all that show them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from homeassistant.core import CALLBACK_TYPE, callback

from .hm_gateway_client import Client, HmClientError, IntentDef

READS_AT_ONCE: Final = 4
"""So that a house with many settings leaves the gateway free for what people do."""


class Settings:
    """Values are read when they are first shown, when the unit confirmed others, and when the home is read anew."""

    def __init__(
        self, client: Client, tell: Callable[[str], None], start: Callable[[Coroutine[Any, Any, None]], object]
    ) -> None:
        """``tell`` is called with a device whose values may be others now; ``start`` runs a task of the home."""
        self.intents: Mapping[str, IntentDef] = {}
        self._client = client
        self._tell = tell
        self._start = start
        self._values: dict[str, Mapping[str, Any]] = {}
        self._watched: Counter[str] = Counter()
        self._reading: set[str] = set()
        self._stale: set[str] = set()
        self._turns = asyncio.Semaphore(READS_AT_ONCE)

    @property
    def are_known(self) -> bool:
        """Whether the knob ``advanced_config`` lets them be read and changed."""
        return bool(self.intents)

    async def prepare(self) -> None:
        """Reads which there are; raises HmClientError."""
        definitions = await self._client.intent_definitions()
        self.intents = {each.id: each for each in definitions.intents if each.access == "read_write"}

    def value(self, device: str, intent: str) -> Any:
        """What the unit confirmed last; None while it is not known."""
        return self._values.get(device, {}).get(intent)

    @callback
    def watch(self, device: str) -> CALLBACK_TYPE:
        """Keeps the values of a device right until what it answers is called."""
        self._watched[device] += 1
        if device not in self._values and device not in self._reading:
            self.renew(device)

        @callback
        def stop() -> None:
            self._watched[device] -= 1

        return stop

    @callback
    def renew(self, device: str) -> None:
        """Reads the values of a device again, where somebody shows them; once for however many ask meanwhile."""
        if not self._watched[device]:
            self._values.pop(device, None)
        elif device in self._reading:
            self._stale.add(device)
        else:
            self._reading.add(device)
            self._start(self._read(device))

    @callback
    def renew_all(self) -> None:
        """Reads all that are shown again."""
        for device in list(self._watched):
            self.renew(device)

    @callback
    def confirmed(self, device: str, intent: str, value: Any) -> None:
        """Takes the answer to a change."""
        self._values[device] = {**self._values.get(device, {}), intent: value}
        self._tell(device)

    async def _read(self, device: str) -> None:
        try:
            async with self._turns:
                self._stale.discard(device)
                answer = await self._client.intents(device)
            self._values[device] = {each.intent: each.value for each in answer.intents}
        except HmClientError:
            # What cannot be read is not available until it changes or the home is read anew.
            self._values.pop(device, None)
        finally:
            self._reading.discard(device)
        if device in self._stale:
            self.renew(device)
        self._tell(device)
