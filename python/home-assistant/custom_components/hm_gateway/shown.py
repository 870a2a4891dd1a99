"""The entities of each platform, kept in step with the home."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .hm_gateway_client import HomeDevice
from .loads import SWITCHES, load_of

if TYPE_CHECKING:
    from .entity import HmEntity
    from .hub import Hub

type OfDevice = Callable[[Hub, HomeDevice], Iterable[HmEntity]]
"""Makes the entities of a platform for one unit, module or gang."""
type OfHome = Callable[[Hub], Iterable[HmEntity]]
"""Makes the entities of a platform for the gateway and scenes."""
type Key = tuple[str, str]
"""Platform and unique id: the key of an entity."""

READING_PLATFORMS: Final = (Platform.SENSOR, Platform.BINARY_SENSOR)
ITSELF: Final = ""
MODE: Final = "mode"
"""Suffixes of unique ids, except for readings and settings."""


@dataclass(frozen=True)
class _Platform:
    domain: Platform
    add: AddConfigEntryEntitiesCallback
    of_device: OfDevice | None
    of_home: OfHome | None


class Shown:
    """The entities of all platforms. Missing ones are removed, new ones are added."""

    def __init__(self, hass: HomeAssistant, hub: Hub) -> None:
        """Shows no entity before the first platform."""
        self._hass = hass
        self._hub = hub
        self._platforms: list[_Platform] = []
        self._entities: dict[Key, HmEntity] = {}

    @callback
    def add_platform(
        self,
        domain: Platform,
        add: AddConfigEntryEntitiesCallback,
        *,
        of_device: OfDevice | None = None,
        of_home: OfHome | None = None,
    ) -> None:
        """Shows the entities of a platform, now and after each read of the home."""
        platform = _Platform(domain, add, of_device, of_home)
        self._platforms.append(platform)
        self._add(platform, self._found(platform))

    @callback
    def add_new_of(self, device: HomeDevice) -> None:
        """Adds new entities of a device, for example for a new reading."""
        for platform in self._platforms:
            if platform.of_device is not None:
                self._add(platform, platform.of_device(self._hub, device))

    @callback
    def keep_to_home(self, changed: Collection[str]) -> bool:
        """Removes missing entities and adds new ones; returns False if the home has to be reloaded.

        A reload is needed if an entity has another kind now: Home Assistant accepts the new one only after the old one
        is unloaded. ``changed`` has the ids of devices with another class or model than before.
        """
        found = {
            platform.domain: {str(entity.unique_id): entity for entity in self._found(platform)}
            for platform in self._platforms
        }
        keys = {(domain, id) for domain, entities in found.items() for id in entities}
        self._remove_all_but(keys, changed)
        if any(entity.kind != found[key[0]][key[1]].kind for key, entity in self._entities.items() if key in keys):
            return False
        for platform in self._platforms:
            self._add(platform, found[platform.domain].values())
        return True

    def _found(self, platform: _Platform) -> Iterator[HmEntity]:
        if platform.of_home is not None:
            yield from platform.of_home(self._hub)
        if platform.of_device is not None:
            for device in self._hub.home.devices.values():
                yield from platform.of_device(self._hub, device)

    @callback
    def _add(self, platform: _Platform, found: Iterable[HmEntity]) -> None:
        fresh: dict[Key, HmEntity] = {}
        for entity in found:
            key = (platform.domain, str(entity.unique_id))
            if key not in self._entities:
                fresh[key] = entity
        self._entities |= fresh
        platform.add(fresh.values())

    @callback
    def _remove_all_but(self, keys: Collection[Key], changed: Collection[str]) -> None:
        """Removes missing entities of all platforms, including entities of an earlier run."""
        registry = er.async_get(self._hass)
        tried = {platform.domain for platform in self._platforms}
        for entry in er.async_entries_for_config_entry(registry, self._hub.entry.entry_id):
            key = (entry.domain, entry.unique_id)
            if entry.domain in tried and key not in keys and not self._may_come_back(key, changed):
                registry.async_remove(entry.entity_id)
        self._entities = {
            key: entity for key, entity in self._entities.items() if key in keys or self._may_come_back(key, changed)
        }

    def _may_come_back(self, key: Key, changed: Collection[str]) -> bool:
        """True if only its value or its knob is missing at the moment."""
        domain, unique_id = key
        id, _, what = unique_id.partition("#")
        device = self._hub.home.devices.get(id)
        if device is None or id in changed:
            return False
        if what == ITSELF:
            return device.class_ in SWITCHES and load_of(device) is None
        return domain in READING_PLATFORMS or (what != MODE and not self._hub.settings.are_known)
