"""Smoke, touches and energy, from the report of a unit to the entity in Home Assistant."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest_asyncio
from homeassistant.components.energy import validate
from homeassistant.components.energy.data import async_get_manager
from homeassistant.components.recorder import get_instance
from homeassistant.components.recorder.statistics import list_statistic_ids
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.recorder import async_initialize_recorder
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from pytest_homeassistant_custom_component.components.recorder.common import (
    async_wait_recording_done,
    do_adhoc_statistics,
)

from home import SetUpHome, figure
from sim_house import SimHouse, gateway_at

BATHROOM = 63
"""The address of the sensor of the bathroom."""
HALL, PANEL = 11, 12
"""The addresses of the hall light and the panel at the entrance."""


@pytest_asyncio.fixture
async def house(real_sockets: None) -> AsyncGenerator[SimHouse]:
    """A house whose units report at the test's command."""
    made = await SimHouse().start()
    yield made
    await made.stop()


async def test_smoke_is_on_until_the_unit_reports_its_end_also_over_a_restart_of_the_gateway(
    hass: HomeAssistant, house: SimHouse, tmp_path: Path
) -> None:
    gateway = await gateway_at(house, tmp_path)
    try:
        home = await SetUpHome.of(hass, gateway)
        assert home.find("binary_sensor", "bathroom-climate", "smoke") is None
        for kind, device_class in {"smoke": "smoke", "water": "moisture", "tamper": "tamper"}.items():
            reported = time.perf_counter()
            await house.say(f"detect {BATHROOM} {kind} on")
            await home.until(lambda kind=kind: home.find("binary_sensor", "bathroom-climate", kind) is not None)
            alarm = home.entity("binary_sensor", "bathroom-climate", kind)
            state = await home.shows(alarm, lambda it: it.state == "on")
            took = (time.perf_counter() - reported) * 1000
            figure(f"{kind}: on in Home Assistant {took:.0f} ms after the unit reported it")
            assert state.attributes["device_class"] == device_class
        smoke = home.entity("binary_sensor", "bathroom-climate", "smoke")
        await gateway.kill()
        await home.shows(smoke, lambda it: it.state == "unavailable")
        await gateway.start()
        await home.shows(smoke, lambda it: it.state != "unavailable")
        assert home.state(smoke).state == "on"
        await house.say(f"detect {BATHROOM} smoke off")
        await home.shows(smoke, lambda it: it.state == "off")
        assert home.state(home.entity("binary_sensor", "bathroom-climate", "water")).state == "on"
        await home.unload()
    finally:
        await gateway.kill()


async def test_a_touch_is_an_event_of_its_key_also_if_no_state_changes(
    hass: HomeAssistant, house: SimHouse, tmp_path: Path
) -> None:
    gateway = await gateway_at(house, tmp_path)
    try:
        home = await SetUpHome.of(hass, gateway)
        down, up = (home.entity("event", "hall-light", f"key_{key}") for key in ("down", "up"))
        assert home.state(down).attributes["device_class"] == "button"
        assert home.state(down).attributes["friendly_name"] == "Hall light Down key"
        # The light is off already.
        for held_ms, event_type in ((300, "press_end"), (2_500, "long_press_end")):
            await house.say(f"touch {HALL} down {held_ms}")
            await home.shows(down, lambda it, s=event_type: it.attributes["event_type"] == s)
        assert home.state(up).state == "unknown"
        side = home.entity("event", "entrance-panel", "key_side_left")
        await house.say(f"touch {PANEL} side_left")
        await home.shows(side, lambda it: it.attributes["event_type"] == "press_end")
        assert home.find("event", "entrance-panel:0", "key_mode") is not None
        assert home.find("event", "front-door", "key_up") is None
        await home.unload()
    finally:
        await gateway.kill()


async def test_the_energy_page_takes_the_counters_without_a_helper(
    hass: HomeAssistant, house: SimHouse, tmp_path: Path
) -> None:
    gateway = await gateway_at(house, tmp_path)
    try:
        logging.getLogger("sqlalchemy.engine").setLevel(logging.WARNING)
        async_initialize_recorder(hass)
        stored = {"db_url": f"sqlite:///{tmp_path}/home-assistant.db", "commit_interval": 0}
        assert await async_setup_component(hass, "recorder", {"recorder": stored})
        assert await async_setup_component(hass, "energy", {})
        home = await SetUpHome.of(hass, gateway)
        gang = home.entity("light", "entrance-panel:1")
        await home.call("light", "turn_on", gang)
        await home.until(lambda: home.find("sensor", "entrance-panel:1", "energy") is not None)
        power = home.entity("sensor", "entrance-panel:1", "power")
        await home.shows(power, lambda it: float(it.state) > 0)
        await home.call("light", "turn_off", gang)
        await home.shows(power, lambda it: float(it.state) == 0)
        energies = [
            item.entity_id
            for item in er.async_entries_for_config_entry(er.async_get(hass), home.entry.entry_id)
            if item.unique_id.endswith("#energy")
        ]
        assert energies
        for entity in energies:
            attributes = home.state(entity).attributes
            assert attributes["device_class"] == "energy"
            assert attributes["state_class"] == "total_increasing"
            assert attributes["unit_of_measurement"] == "kWh"
        await _compiled(hass)
        statistics = {
            item["statistic_id"] for item in await get_instance(hass).async_add_executor_job(list_statistic_ids, hass)
        }
        assert set(energies) <= statistics
        consumption: Any = [{"stat_consumption": entity} for entity in energies]
        await (await async_get_manager(hass)).async_update({"device_consumption": consumption})
        checked = (await validate.async_validate(hass)).as_dict()
        assert checked["device_consumption"] == [[] for _ in energies]
        await home.unload()
    finally:
        await gateway.kill()


async def _compiled(hass: HomeAssistant) -> None:
    """Runs the statistics of the last five minutes."""
    await async_wait_recording_done(hass)
    begin = dt_util.utcnow().replace(second=0, microsecond=0)
    do_adhoc_statistics(hass, start=begin - timedelta(minutes=begin.minute % 5))
    await async_wait_recording_done(hass)
