"""What of the home stands in Home Assistant: the entities of each platform, kept to what the home shows."""

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
"""The entities that a platform makes of one unit, module or gang as it is now."""
type OfHome = Callable[[Hub], Iterable[HmEntity]]
"""Those that it makes of the gateway and of scenes."""
type Key = tuple[str, str]
"""Platform and unique id: what tells an entity from all others of the home."""

READING_PLATFORMS: Final = (Platform.SENSOR, Platform.BINARY_SENSOR)
ITSELF: Final = ""
MODE: Final = "mode"
"""What entities of the other platforms are about, where it is no setting."""


@dataclass(frozen=True)
class _Platform:
    domain: Platform
    add: AddConfigEntryEntitiesCallback
    of_device: OfDevice | None
    of_home: OfHome | None


class Shown:
    """The entities of all platforms. One that is no longer found is removed; one that is found newly is added."""

    def __init__(self, hass: HomeAssistant, hub: Hub) -> None:
        """Nothing is shown before the first platform."""
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
        """Shows what a platform finds, now and whenever the home is read anew."""
        platform = _Platform(domain, add, of_device, of_home)
        self._platforms.append(platform)
        self._add(platform, self._found(platform))

    @callback
    def add_new_of(self, device: HomeDevice) -> None:
        """Shows what a device has come to have, as a reading that it has never told before."""
        for platform in self._platforms:
            if platform.of_device is not None:
                self._add(platform, platform.of_device(self._hub, device))

    @callback
    def keep_to_home(self, changed: Collection[str]) -> bool:
        """Removes what is no longer found and shows what is new; False where all have to be set up anew.

        That is so where an entity became one of another kind: Home Assistant takes the new one only once the old one
        has gone altogether. ``changed`` are the ids of devices that are of another class or model than before.
        """
        found = {
            platform.domain: {str(each.unique_id): each for each in self._found(platform)}
            for platform in self._platforms
        }
        keys = {(domain, id) for domain, entities in found.items() for id in entities}
        self._remove_all_but(keys, changed)
        if any(each.kind != found[key[0]][key[1]].kind for key, each in self._entities.items() if key in keys):
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
        for each in found:
            key = (platform.domain, str(each.unique_id))
            if key not in self._entities:
                fresh[key] = each
        self._entities |= fresh
        platform.add(fresh.values())

    @callback
    def _remove_all_but(self, keys: Collection[Key], changed: Collection[str]) -> None:
        """Of the platforms that are there; also what stood when Home Assistant ran last."""
        registry = er.async_get(self._hass)
        tried = {platform.domain for platform in self._platforms}
        for entry in er.async_entries_for_config_entry(registry, self._hub.entry.entry_id):
            key = (entry.domain, entry.unique_id)
            if entry.domain in tried and key not in keys and not self._may_come_back(key, changed):
                registry.async_remove(entry.entity_id)
        self._entities = {
            key: each for key, each in self._entities.items() if key in keys or self._may_come_back(key, changed)
        }

    def _may_come_back(self, key: Key, changed: Collection[str]) -> bool:
        """Whether it is not found only because its value or its knob is missing at the moment."""
        domain, unique_id = key
        id, _, what = unique_id.partition("#")
        device = self._hub.home.devices.get(id)
        if device is None or id in changed:
            return False
        if what == ITSELF:
            return device.class_ in SWITCHES and load_of(device) is None
        return domain in READING_PLATFORMS or (what != MODE and not self._hub.settings.are_known)
