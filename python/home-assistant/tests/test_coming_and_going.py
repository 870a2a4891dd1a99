"""Changes of exposure, restarts of either side, and diagnostics."""

from __future__ import annotations

import json
import time

import pytest
from homeassistant.components.diagnostics import REDACTED
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers import issue_registry as ir

from custom_components.hm_gateway import async_remove_config_entry_device
from custom_components.hm_gateway.diagnostics import async_get_config_entry_diagnostics
from gateway import Gateway
from home import DOMAIN, SetUpHome, figure


async def test_devices_come_and_go_with_exposure(hass: HomeAssistant, gateway: Gateway) -> None:
    home = await SetUpHome.of(hass, gateway, "unit:study-light", structural="off")
    assert home.registered("living-lamp") is None
    path = f"/integrations/{home.integration}"
    await gateway.admin("PATCH", path, {"expose": ["unit:study-light", "unit:living-lamp", "scene:dinner"]})
    await home.until(lambda: home.find("light", "living-lamp") is not None)
    await home.until(lambda: home.find("scene", "scene:dinner") is not None)
    await gateway.admin("PATCH", path, {"expose": ["unit:living-lamp"]})
    await home.until(lambda: home.registered("study-light") is None)
    assert home.find("light", "study-light") is None
    assert home.find("scene", "scene:dinner") is None
    await gateway.admin("PATCH", path, {"expose": ["unit:living-lamp", "unit:study-light"]})
    await home.until(lambda: home.find("light", "study-light") is not None)
    await hass.async_block_till_done()
    await home.unload()


async def test_the_gateway_starts_anew(own_home: SetUpHome, caplog: pytest.LogCaptureFixture) -> None:
    lamp = own_home.entity("light", "study-light")
    await own_home.gateway.kill()
    await own_home.shows(lamp, lambda it: it.state == "unavailable")
    await own_home.gateway.start()
    await own_home.shows(lamp, lambda it: it.state in ("on", "off"))
    await own_home.call("light", "turn_on", lamp)
    await own_home.shows(lamp, lambda it: it.state == "on")
    found = [item.getMessage() for item in caplog.records if item.name.endswith("hm_gateway.hub")]
    assert [item.split(" is ")[1][:9] for item in found] == ["not conne", "connected"], found


async def test_home_assistant_starts_while_the_gateway_is_away(own_home: SetUpHome) -> None:
    await own_home.unload()
    await own_home.gateway.kill()
    assert not await own_home.hass.config_entries.async_setup(own_home.entry.entry_id)
    assert own_home.entry.state is ConfigEntryState.SETUP_RETRY
    assert "did not answer" in (own_home.entry.reason or "")
    await own_home.gateway.start()
    await own_home.hass.config_entries.async_reload(own_home.entry.entry_id)
    await own_home.hass.async_block_till_done()
    assert own_home.entry.state is ConfigEntryState.LOADED


async def test_an_integration_that_is_switched_off_is_told(home: SetUpHome) -> None:
    path = f"/integrations/{home.integration}"
    await home.gateway.admin("PATCH", path, {"enabled": False})
    await home.until(lambda: home.repair("integration_disabled") is not None)
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    assert home.entry.state is ConfigEntryState.SETUP_RETRY
    await home.gateway.admin("PATCH", path, {"enabled": True})
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    await home.hass.async_block_till_done()
    assert home.entry.state is ConfigEntryState.LOADED
    assert home.repair("integration_disabled") is None


async def test_what_became_something_else_is_shown_as_that_alone(own_home: SetUpHome) -> None:
    home = own_home
    switch, light = home.entity("switch", "study-desk"), home.entity("light", "guest-light")
    shutter = home.entity("cover", "lenas-shutter")
    er.async_get(home.hass).async_update_entity(light, name="By the bed")
    await home.change_unit("study-desk", light="true")
    await home.change_unit("guest-light", model="HMHH", **{"class": "light_dimmer"})
    await home.change_unit("lenas-shutter", model="HMCU", **{"class": "curtain"})
    await home.until(lambda: home.find("light", "study-desk") is not None)
    assert home.find("switch", "study-desk") is None
    assert home.hass.states.get(switch) is None
    await home.shows(light, lambda it: it.attributes.get("supported_color_modes") == ["brightness"])
    assert home.state(light).name.endswith("By the bed")
    await home.shows(shutter, lambda it: it.attributes["device_class"] == "curtain")
    device = home.registered("guest-light")
    assert device is not None
    assert (device.model, device.model_id) == ("HMHH", "light_dimmer")


async def test_what_became_something_else_while_home_assistant_was_away(own_home: SetUpHome) -> None:
    home = own_home
    assert home.find("switch", "living-tv") is not None
    assert home.find("number", "guest-light", "off_delay") is not None
    await home.unload()
    await home.change_unit("living-tv", model="HMHH", **{"class": "light_dimmer"})
    await home.change_unit("guest-light", model="HMIR", **{"class": "ir_remote"})
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.hass.async_block_till_done()
    assert home.find("light", "living-tv") is not None
    assert home.find("switch", "living-tv") is None
    assert home.find("remote", "guest-light") is not None
    assert [home.find("light", "guest-light"), home.find("number", "guest-light", "off_delay")] == [None, None]


async def test_what_is_called_otherwise_is_called_so_here(own_home: SetUpHome) -> None:
    await own_home.change_unit("study-light", name="Reading light")
    await own_home.until(lambda: (it := own_home.registered("study-light")) is not None and it.name == "Reading light")


async def test_settings_go_with_their_knob(home: SetUpHome) -> None:
    assert home.find("number", "living-lamp", "off_delay") is not None
    assert home.repair("advanced_config") is None
    before = home.entry.runtime_data
    await home.allow(advanced_config="off")
    await home.until(lambda: home.entry.state is ConfigEntryState.LOADED and home.entry.runtime_data is not before)
    await home.hass.async_block_till_done()
    assert home.entry.runtime_data.settings.intents == {}
    assert home.repair("advanced_config") is not None
    before = home.entry.runtime_data
    # The entities come back with the settings of the person.
    assert home.find("number", "living-lamp", "off_delay") is not None
    await home.allow(advanced_config="read_write")
    await home.until(lambda: home.entry.state is ConfigEntryState.LOADED and home.entry.runtime_data is not before)
    await home.hass.async_block_till_done()
    assert home.entry.runtime_data.settings.intents != {}
    assert home.repair("advanced_config") is None


async def test_a_home_whose_settings_may_only_be_read_says_why_there_are_none(
    hass: HomeAssistant, gateway: Gateway
) -> None:
    home = await SetUpHome.of(hass, gateway, advanced_config="read")
    assert home.find("number", "living-lamp", "off_delay") is None
    repair = home.repair("advanced_config")
    assert repair is not None
    assert repair.learn_more_url == f"{gateway.url}/console/go/integrations.record?integration={home.integration}"
    # Without an attempt to unlock there is no issue about allow_unlock.
    assert home.repair("allow_unlock") is None
    await home.unload()


async def test_a_knob_that_was_turned_while_nobody_listened_is_read(own_home: SetUpHome) -> None:
    gateway, port = own_home.gateway, own_home.gateway.port
    await gateway.kill()
    # While Home Assistant is disconnected, so that it receives no event about the knob.
    gateway.port = 0
    await gateway.start()
    await own_home.allow(advanced_config="read")
    await gateway.kill()
    gateway.port = port
    await gateway.start()
    await own_home.until(lambda: own_home.repair("advanced_config") is not None)
    await own_home.hass.async_block_till_done()


async def test_diagnostics_name_nothing_secret(home: SetUpHome) -> None:
    found = await async_get_config_entry_diagnostics(home.hass, home.entry)
    text = json.dumps(found)
    assert found["entry"]["token"] == REDACTED
    assert found["classes"]["light_dimmer"] > 0
    for secret in ("hm_key_", "CERTIFICATE", home.entry.data["gateway"], "127.0.0.1", "Sonnenwinkel"):
        assert secret not in text


async def test_a_device_is_removed_by_hand_only_where_it_is_gone(home: SetUpHome) -> None:
    lamp = home.registered("living-lamp")
    assert lamp is not None
    assert not await async_remove_config_entry_device(home.hass, home.entry, lamp)
    removed = dr.async_get(home.hass).async_get_or_create(
        config_entry_id=home.entry.entry_id, identifiers={(DOMAIN, home.device("no-such-lamp"))}
    )
    assert await async_remove_config_entry_device(home.hass, home.entry, removed)


async def test_a_home_that_is_removed_leaves_nothing_behind(home: SetUpHome) -> None:
    await home.allow(advanced_config="off")
    with pytest.raises(HomeAssistantError):
        await home.call("lock", "unlock", home.entity("lock", "front-door"))
    await home.until(lambda: home.repair("advanced_config") is not None)
    assert home.repair("allow_unlock") is not None
    await home.hass.async_block_till_done()
    id = home.entry.entry_id
    await home.hass.config_entries.async_remove(id)
    assert home.hass.states.async_all() == []
    assert er.async_entries_for_config_entry(er.async_get(home.hass), id) == []
    assert dr.async_entries_for_config_entry(dr.async_get(home.hass), id) == []
    assert [item for domain, item in ir.async_get(home.hass).issues if domain == DOMAIN] == []


async def test_how_long_the_house_takes_to_stand(home: SetUpHome) -> None:
    """Measures the time to set up."""
    await home.unload()
    began = time.perf_counter()
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.hass.async_block_till_done()
    took = time.perf_counter() - began
    figure(f"house of {len(home.entry.runtime_data.home.devices)} devices stands after {took:.2f} s")
