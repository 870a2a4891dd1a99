"""Changes at the gateway while the newest Home Assistant runs: smoke, refusals, exposure, a key, another CA."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from gateway import Gateway
from home import code_of, figure
from real import LOOKS_EACH_S, RELEASES, STANDS_IN_S, STARTS_IN_S, RealHomeAssistant, configured, running
from sim_house import SimHouse, gateway_at

STEPS = 5
BATHROOM = 63
"""The address of the sensor of the bathroom."""
NEWEST = list(RELEASES)[-1:]
"""The newest release: ``npm run test:home-assistant`` lists the oldest first."""


@pytest.mark.parametrize("release", NEWEST)
@pytest.mark.timeout(STARTS_IN_S + (STEPS + 1) * STANDS_IN_S)
async def test_what_changes_at_the_gateway_is_so_in_a_running_home_assistant(
    release: str, tmp_path: Path, real_sockets: None
) -> None:
    house = await SimHouse().start()
    gateway = await gateway_at(house, tmp_path / "gateway")
    folder = tmp_path / "config"
    url = configured(folder)
    try:
        integration = await gateway.new_integration()
        async with running(Path(RELEASES[release]), folder, url) as real:
            await real.sign_in()
            code = await code_of(gateway, integration)
            flow = await real.ask("POST", "/api/config/config_entries/flow", handler="hm_gateway")
            assert (await real.paste(flow["flow_id"], code))["type"] == "create_entry"
            await asyncio.wait_for(real.until_house_stands(), STANDS_IN_S)
            await asyncio.wait_for(is_alarmed(real, gateway, house), STANDS_IN_S)
            for step in (is_refused, is_exposed, is_asked_for_a_new_key, is_told_of_another_ca):
                await asyncio.wait_for(step(real, gateway, integration), STANDS_IN_S)
    finally:
        await gateway.kill()
        await house.stop()


async def is_alarmed(real: RealHomeAssistant, gateway: Gateway, house: SimHouse) -> None:
    """Smoke stays on until the unit reports its end, even across a restart of the gateway."""
    began = time.perf_counter()
    await house.say(f"detect {BATHROOM} smoke on")
    states = await real.until_states(lambda states: "on" in _smoke(states).values())
    took = (time.perf_counter() - began) * 1000
    figure(f"smoke: on in Home Assistant as a process {took:.0f} ms after the report, asked every {LOOKS_EACH_S:.1f} s")
    (smoke,) = _smoke(states)
    await gateway.kill()
    await real.until_states(lambda states: states[smoke] == "unavailable")
    await gateway.start()
    states = await real.until_states(lambda states: states[smoke] != "unavailable")
    assert states[smoke] == "on"
    await house.say(f"detect {BATHROOM} smoke off")
    await real.until_states(lambda states: states[smoke] == "off")


def _smoke(states: dict[str, str]) -> dict[str, str]:
    return {name: state for name, state in states.items() if name.startswith("binary_sensor.") and "smoke" in name}


async def is_refused(real: RealHomeAssistant, gateway: Gateway, integration: str) -> None:
    """A refused unlock: the person sees the gateway's message, and an issue stays until the knob allows it."""
    lock = next(entity for entity in await real.states() if entity.startswith("lock."))
    unlock = {"domain": "lock", "service": "unlock", "target": {"entity_id": lock}}
    answer = await real.command("call_service", **unlock)
    assert answer["success"] is False
    assert "may not unlock" in answer["error"]["message"]
    assert (await real.repairs()).keys() == {"allow_unlock"}
    await gateway.admin("PATCH", f"/integrations/{integration}", {"settings": {"allow_unlock": "on"}})
    await real.until_repairs(lambda repairs: not repairs)
    assert (await real.command("call_service", **unlock))["success"] is True
    await real.until_states(lambda states: states[lock] == "unlocked")


async def is_exposed(real: RealHomeAssistant, gateway: Gateway, integration: str) -> None:
    """Entities disappear with their exposure and come back with it."""
    path = f"/integrations/{integration}"
    await gateway.admin("PATCH", path, {"expose": ["unit:study-light"]})
    states = await real.until_states(
        lambda states: not any(entity.startswith(("lock.", "scene.")) for entity in states)
    )
    assert sum(entity.startswith("light.") for entity in states) == 1
    await gateway.admin("PATCH", path, {"expose": ["all"]})
    await real.until_house_stands()


async def is_asked_for_a_new_key(real: RealHomeAssistant, gateway: Gateway, integration: str) -> None:
    """A key that was revoked."""
    for key in (await gateway.admin("GET", "/keys"))["keys"]:
        if key["integration"] == integration:
            await gateway.admin("DELETE", f"/keys/{key['link']}")
    flow = await real.asked_again()
    assert not any(state in ("on", "off") for name, state in (await real.states()).items() if name.startswith("light."))
    result = await real.paste(flow, await code_of(gateway, integration))
    assert result["reason"] == "reauth_successful"
    await real.until_house_stands()


async def is_told_of_another_ca(real: RealHomeAssistant, gateway: Gateway, integration: str) -> None:
    """Another CA is reported with both fingerprints; only a new code makes it trusted."""
    before = await gateway.fingerprint()
    await gateway.admin("POST", "/tls/regenerate-ca", {})
    await gateway.kill()
    await gateway.start()
    repairs = await real.until_repairs(lambda repairs: "ca_changed" in repairs)
    fingerprints = repairs["ca_changed"]["translation_placeholders"]
    assert [fingerprints["expected"], fingerprints["found"]] == [before, await gateway.fingerprint()]
    result = await real.paste(await real.asked_again(), await code_of(gateway, integration))
    assert result["reason"] == "reauth_successful"
    await real.until_house_stands()
    await real.until_repairs(lambda repairs: not repairs)
