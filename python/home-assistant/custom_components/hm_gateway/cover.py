"""Shutters, curtains and gates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, Final, override

from homeassistant.components.cover import ATTR_POSITION, CoverDeviceClass, CoverEntity, CoverEntityFeature
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HmDeviceEntity, HmEntity, state_of
from .groups import HmGroup, groups_on
from .hm_gateway_client import CoverState, GateState, HomeDevice
from .hub import HmConfigEntry, Hub

PARALLEL_UPDATES = 0
CLASSES: Final = {
    "shutter": CoverDeviceClass.SHUTTER,
    "shutter_gang": CoverDeviceClass.SHUTTER,
    "curtain": CoverDeviceClass.CURTAIN,
    "gate": CoverDeviceClass.GATE,
}
FEATURES: Final = {
    "open": CoverEntityFeature.OPEN,
    "close": CoverEntityFeature.CLOSE,
    "stop": CoverEntityFeature.STOP,
    "set_position": CoverEntityFeature.SET_POSITION,
}


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up shutters, curtains and gates."""
    entry.runtime_data.shown.add_platform(Platform.COVER, add, of_device=_covers, of_home=_groups)


def _covers(hub: Hub, device: HomeDevice) -> Iterable[HmDeviceEntity]:
    if device.class_ in CLASSES:
        yield HmCover(hub, device)


def _groups(hub: Hub) -> Iterable[HmEntity]:
    return [CoverGroup(hub, id) for id in groups_on(hub, Platform.COVER)]


def _features(operations: Iterable[str]) -> CoverEntityFeature:
    features = CoverEntityFeature(0)
    for operation in operations:
        features |= FEATURES.get(operation, CoverEntityFeature(0))
    return features


class Movable(HmEntity, CoverEntity):
    """The commands of one device or a group."""

    @abstractmethod
    async def control(self, op: str, **args: Any) -> None:
        """Runs an operation of the gateway."""

    @override
    async def async_open_cover(self, **kwargs: Any) -> None:
        await self.control("open")

    @override
    async def async_close_cover(self, **kwargs: Any) -> None:
        await self.control("close")

    @override
    async def async_stop_cover(self, **kwargs: Any) -> None:
        await self.control("stop")

    @override
    async def async_set_cover_position(self, **kwargs: Any) -> None:
        await self.control("set_position", pos=kwargs[ATTR_POSITION])


class HmCover(HmDeviceEntity, Movable):
    """Something that moves between closed, 0 percent, and open, 100 percent."""

    def __init__(self, hub: Hub, device: HomeDevice) -> None:
        """Its features are the operations of the device."""
        super().__init__(hub, device)
        self._attr_device_class = CLASSES[device.class_]
        self._attr_supported_features = _features(device.operations)

    @property
    def _state(self) -> CoverState | GateState | None:
        return state_of(self.device, CoverState) or state_of(self.device, GateState)

    @property
    @override
    def current_cover_position(self) -> int | None:
        return None if self._state is None else self._state.pos

    @property
    @override
    def is_closed(self) -> bool | None:
        return None if self._state is None else self._state.pos == 0

    @property
    @override
    def is_opening(self) -> bool | None:
        return None if self._state is None else self._state.move == "opening"

    @property
    @override
    def is_closing(self) -> bool | None:
        return None if self._state is None else self._state.move == "closing"


class CoverGroup(HmGroup, Movable):
    """A group of shutters and curtains."""

    def __init__(self, hub: Hub, id: str) -> None:
        """Its features are the operations of its members."""
        super().__init__(hub, id)
        self._attr_device_class = CoverDeviceClass.SHUTTER
        self._attr_supported_features = _features(
            operation for device in self._made_of for operation in device.operations
        )

    @property
    def _states(self) -> list[CoverState]:
        return [state for device in self.members if isinstance(state := device.state, CoverState)]

    @property
    @override
    def current_cover_position(self) -> int | None:
        """The mean of its members."""
        positions = [state.pos for state in self._states]
        return round(sum(positions) / len(positions)) if positions else None

    @property
    @override
    def is_closed(self) -> bool | None:
        return all(state.pos == 0 for state in self._states) if self._states else None

    @property
    @override
    def is_opening(self) -> bool | None:
        return any(state.move == "opening" for state in self._states)

    @property
    @override
    def is_closing(self) -> bool | None:
        return any(state.move == "closing" for state in self._states)
