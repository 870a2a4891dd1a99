"""The mode of the home, modes of loads, and settings that are words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, override

from homeassistant.components.select import SelectEntity, SelectEntityDescription
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HmDeviceEntity, HmEntity
from .hm_gateway_client import CoverState, DimmerState, HomeDevice, IntentDef, PowerState, SwitchState
from .hub import HmConfigEntry, Hub
from .setting import HmSetting, settings_of_type

PARALLEL_UPDATES = 0
MODES: Final = ["auto", "eco", "manual"]
"""Modes that can be set (Spec 2.4)."""
MODE: Final = SelectEntityDescription(
    key="mode", translation_key="mode", options=MODES, entity_category=EntityCategory.CONFIG
)

HOME_MODE: Final = SelectEntityDescription(key="home_mode", translation_key="home_mode")


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up the mode of the home, the modes of units and the settings that are words."""
    entry.runtime_data.shown.add_platform(Platform.SELECT, add, of_device=_selects, of_home=_home_mode)


def _home_mode(hub: Hub) -> Iterable[HmEntity]:
    if hub.home.mode is not None:
        yield HomeModeSelect(hub, hub.gateway, HOME_MODE.key)


def _selects(hub: Hub, device: HomeDevice) -> Iterable[HmDeviceEntity]:
    if "set_mode" in device.operations:
        yield ModeSelect(hub, device, MODE)
    for intent in settings_of_type(hub, device, "enum"):
        yield SettingSelect(hub, device, intent)


class HomeModeSelect(HmEntity, SelectEntity):
    """The mode of the home, such as away or guest. Its options are the names of the modes."""

    def __init__(self, hub: Hub, subject: str, what: str) -> None:
        """Makes it an entity of the gateway."""
        super().__init__(hub, subject, what)
        self.entity_description = HOME_MODE
        self._attr_device_info = hub.devices.gateway_info()

    @property
    @override
    def options(self) -> list[str]:
        mode = self.hub.home.mode
        return [] if mode is None else [one.name for one in mode.modes]

    @property
    @override
    def current_option(self) -> str | None:
        mode = self.hub.home.mode
        return None if mode is None else mode.name

    @property
    @override
    def available(self) -> bool:
        return super().available and self.hub.home.mode is not None

    @override
    async def async_select_option(self, option: str) -> None:
        mode = self.hub.home.mode
        for one in () if mode is None else mode.modes:
            if one.name == option:
                await self.ask(self.hub.client.set_mode(one.id))
                return


class ModeSelect(HmDeviceEntity, SelectEntity):
    """Mode of a unit: it decides by itself (auto, eco) or only follows commands (manual)."""

    @property
    @override
    def current_option(self) -> str | None:
        state = None if self.device is None else self.device.state
        if not isinstance(state, SwitchState | DimmerState | PowerState | CoverState):
            return None
        # Only the unit itself can begin sleep, so it is no option.
        return state.mode if state.mode in MODES else None

    @override
    async def async_select_option(self, option: str) -> None:
        await self.control("set_mode", mode=option)


class SettingSelect(HmSetting, SelectEntity):
    """A setting that is one of a few words."""

    def __init__(self, hub: Hub, device: HomeDevice, intent: IntentDef) -> None:
        """The options come from the gateway."""
        super().__init__(hub, device, intent)
        self._attr_options = [str(word) for word in intent.value["enum"]]

    @property
    @override
    def current_option(self) -> str | None:
        return self.confirmed if self.confirmed in self.options else None

    @override
    async def async_select_option(self, option: str) -> None:
        await self.write(option)
