"""Settings of units (Spec 2.7) and their values. Each unit is read once for all entities."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from homeassistant.core import CALLBACK_TYPE, callback

from .hm_gateway_client import Client, HmClientError, IntentDef

READS_AT_ONCE: Final = 4
"""Bound for parallel reads, so that a house with many settings does not block the gateway."""


class Settings:
    """Reads values when they are first shown, after the unit confirmed others, and when the home is read again."""

    def __init__(
        self, client: Client, tell: Callable[[str], None], start: Callable[[Coroutine[Any, Any, None]], object]
    ) -> None:
        """``tell`` is called with a device whose values may have changed; ``start`` runs a task of the home."""
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
        """True if the knob ``advanced_config`` allows reading and changing settings."""
        return bool(self.intents)

    async def prepare(self) -> None:
        """Reads the definitions of all settings; raises HmClientError."""
        definitions = await self._client.intent_definitions()
        self.intents = {intent.id: intent for intent in definitions.intents if intent.access == "read_write"}

    def value(self, device: str, intent: str) -> Any:
        """Last value confirmed by the unit; None if unknown."""
        return self._values.get(device, {}).get(intent)

    @callback
    def watch(self, device: str) -> CALLBACK_TYPE:
        """Keeps the values of a device current. Returns a function that stops this."""
        self._watched[device] += 1
        if device not in self._values and device not in self._reading:
            self.renew(device)

        @callback
        def stop() -> None:
            self._watched[device] -= 1

        return stop

    @callback
    def renew(self, device: str) -> None:
        """Reads the values of a device again if an entity shows them. Parallel calls share one read."""
        if not self._watched[device]:
            self._values.pop(device, None)
        elif device in self._reading:
            self._stale.add(device)
        else:
            self._reading.add(device)
            self._start(self._read(device))

    @callback
    def renew_all(self) -> None:
        """Reads the values of all shown devices again."""
        for device in list(self._watched):
            self.renew(device)

    @callback
    def confirmed(self, device: str, intent: str, value: Any) -> None:
        """Takes the confirmed value of a change."""
        self._values[device] = {**self._values.get(device, {}), intent: value}
        self._tell(device)

    async def _read(self, device: str) -> None:
        try:
            async with self._turns:
                self._stale.discard(device)
                answer = await self._client.intents(device)
            self._values[device] = {setting.intent: setting.value for setting in answer.intents}
        except HmClientError:
            # Unreadable values stay unavailable until they change or the home is read again.
            self._values.pop(device, None)
        finally:
            self._reading.discard(device)
        if device in self._stale:
            self.renew(device)
        self._tell(device)
