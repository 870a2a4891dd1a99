"""Air conditioners, and switches that feed a climate load."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, override

from homeassistant.components.climate import ClimateEntity
from homeassistant.components.climate.const import ATTR_HVAC_MODE, ClimateEntityFeature, HVACMode
from homeassistant.const import ATTR_TEMPERATURE, Platform, UnitOfTemperature
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HmDeviceEntity, state_of
from .hm_gateway_client import AcState, HomeDevice, PowerState
from .hub import HmConfigEntry, Hub
from .loads import load_of

PARALLEL_UPDATES = 0
MODES: Final = {
    "auto": HVACMode.AUTO,
    "cool": HVACMode.COOL,
    "heat": HVACMode.HEAT,
    "dry": HVACMode.DRY,
    "fan_only": HVACMode.FAN_ONLY,
}
FANS: Final = ["auto", "low", "medium", "high"]
SWITCHABLE: Final = ClimateEntityFeature.TURN_ON | ClimateEntityFeature.TURN_OFF


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up air conditioners and climate loads."""
    entry.runtime_data.shown.add_platform(Platform.CLIMATE, add, of_device=_climates)


def _climates(hub: Hub, device: HomeDevice) -> Iterable[HmDeviceEntity]:
    if device.class_ == "ac":
        yield AirConditioner(hub, device)
    elif load_of(device) == "climate":
        yield Thermostat(hub, device)


class HmClimate(HmDeviceEntity, ClimateEntity):
    """Something with a set point, 5 to 35 degrees in halves."""

    _attr_temperature_unit = UnitOfTemperature.CELSIUS
    _attr_min_temp = 5
    _attr_max_temp = 35
    _attr_target_temperature_step = 0.5

    @property
    @override
    def current_temperature(self) -> float | None:
        readings = self.hub.home.sensors.get(self.subject)
        return None if readings is None else readings.temperature

    @override
    async def async_set_temperature(self, **kwargs: Any) -> None:
        if ATTR_HVAC_MODE in kwargs:
            await self.async_set_hvac_mode(kwargs[ATTR_HVAC_MODE])
        # The gateway takes half degrees; a conversion from Fahrenheit gives other fractions.
        await self.control("set_temp", temp=round(kwargs[ATTR_TEMPERATURE] * 2) / 2)

    @override
    async def async_turn_on(self) -> None:
        await self.control("set_power", on=True)

    @override
    async def async_turn_off(self) -> None:
        await self.control("set_power", on=False)


class Thermostat(HmClimate):
    """A power switch that holds a temperature; whether it heats or cools is a setting of the unit."""

    _attr_hvac_modes = [HVACMode.OFF, HVACMode.AUTO]  # noqa: RUF012 - as its base class has it
    _attr_supported_features = SWITCHABLE | ClimateEntityFeature.TARGET_TEMPERATURE

    @property
    def _state(self) -> PowerState | None:
        return state_of(self.device, PowerState)

    @property
    @override
    def hvac_mode(self) -> HVACMode | None:
        if self._state is None:
            return None
        return HVACMode.AUTO if self._state.on else HVACMode.OFF

    @property
    @override
    def target_temperature(self) -> float | None:
        return None if self._state is None else self._state.temp

    @override
    async def async_set_hvac_mode(self, hvac_mode: HVACMode) -> None:
        await self.control("set_power", on=hvac_mode != HVACMode.OFF)


class AirConditioner(HmClimate):
    """An air conditioner with its modes and the speeds of its fan."""

    _attr_hvac_modes = [HVACMode.OFF, *MODES.values()]  # noqa: RUF012 - as its base class has it
    _attr_fan_modes = FANS
    _attr_supported_features = SWITCHABLE | ClimateEntityFeature.TARGET_TEMPERATURE | ClimateEntityFeature.FAN_MODE

    @property
    def _state(self) -> AcState | None:
        return state_of(self.device, AcState)

    @property
    @override
    def hvac_mode(self) -> HVACMode | None:
        if self._state is None:
            return None
        return MODES.get(self._state.mode) if self._state.on else HVACMode.OFF

    @property
    @override
    def target_temperature(self) -> float | None:
        return None if self._state is None else self._state.temp

    @property
    @override
    def fan_mode(self) -> str | None:
        return None if self._state is None else self._state.fan

    @override
    async def async_set_hvac_mode(self, hvac_mode: HVACMode) -> None:
        if hvac_mode == HVACMode.OFF:
            await self.async_turn_off()
            return
        mode = next(word for word, known in MODES.items() if known == hvac_mode)
        await self.control("set_ac_mode", mode=mode)
        if self._state is not None and not self._state.on:
            await self.async_turn_on()

    @override
    async def async_set_fan_mode(self, fan_mode: str) -> None:
        await self.control("set_fan", fan=fan_mode)
