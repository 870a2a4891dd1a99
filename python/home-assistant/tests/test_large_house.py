"""A house of 300 units: it is set up quickly and sends no more requests than a small one."""

from __future__ import annotations

import time
from pathlib import Path

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er

from gateway import Gateway
from home import SetUpHome, figure, held

UNITS = 300
STANDS_IN_S = 5
SETTINGS_SHOWN = 400
"""Number of settings to enable, enough to read many units."""


async def test_a_house_of_300_units(hass: HomeAssistant, tmp_path: Path, real_sockets: None) -> None:
    """Checks the time to set up, and measures it again with many settings shown."""
    gateway = await Gateway(tmp_path, HM_HMHC=f"sim:units={UNITS}").start()
    try:
        home = await SetUpHome.of(hass, gateway)
        hub = home.entry.runtime_data
        assert sum(setting.kind != "gang" for setting in hub.home.devices.values()) == UNITS
        await home.unload()
        registry = er.async_get(hass)
        took = await _stood_after(home)
        entities = len(er.async_entries_for_config_entry(registry, home.entry.entry_id))
        held(f"{UNITS} units, {entities} entities stand after", took, STANDS_IN_S, "s")
        assert await home.requests("intents.list") == 0
        await home.unload()
        settings = [
            setting
            for setting in er.async_entries_for_config_entry(registry, home.entry.entry_id)
            if setting.disabled_by is er.RegistryEntryDisabler.INTEGRATION
        ][:SETTINGS_SHOWN]
        for setting in settings:
            registry.async_update_entity(setting.entity_id, disabled_by=None)
        took = await _stood_after(home)
        units = {setting.unique_id.split("#")[0] for setting in settings}
        assert await home.requests("intents.list") == len(units)
        figure(f"the same with {len(settings)} settings of {len(units)} devices after {took:.2f} s")
        await home.unload()
    finally:
        await gateway.kill()


async def _stood_after(home: SetUpHome) -> float:
    began = time.perf_counter()
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.hass.async_block_till_done()
    return time.perf_counter() - began
