"""Each tested release of Home Assistant as a process, set up over HTTP as its pages do."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from gateway import Gateway
from home import code_of, figure
from real import NETWORK, RELEASES, STANDS_IN_S, STARTS_IN_S, RealHomeAssistant, configured, running


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.timeout(2 * (STARTS_IN_S + STANDS_IN_S) + STANDS_IN_S)
async def test_a_home_is_found_and_stands_after_one_pasted_code_and_after_a_restart(
    release: str, tmp_path: Path, real_sockets: None
) -> None:
    """Measures the set-up: by discovery if the tests have a network, by hand otherwise."""
    gateway = await Gateway(tmp_path / "gateway", HM_HOST="::" if NETWORK else "127.0.0.1").start()
    python, folder = Path(RELEASES[release]), tmp_path / "config"
    url = configured(folder)
    try:
        integration = await gateway.new_integration()
        # Without a home network, the name in the connection code cannot be resolved.
        printed = str((await gateway.new_key(integration))["connectionCode"])
        code = printed if NETWORK else await code_of(gateway, integration)
        async with running(python, folder, url) as real:
            await real.sign_in()
            token = real.token
            flow, how = await begun(real)
            began = time.perf_counter()
            async with asyncio.timeout(STANDS_IN_S):
                made = await real.paste(flow["flow_id"], code)
                assert made["type"] == "create_entry", made
                await real.until_house_stands()
            took = time.perf_counter() - began
            figure(f"Home Assistant {release}: {how}, the house stands {took:.1f} s after the pasted code")
        async with running(python, folder, url) as real:
            real.token = token
            async with asyncio.timeout(STANDS_IN_S):
                await real.until_house_stands()
    finally:
        await gateway.kill()


async def begun(real: RealHomeAssistant) -> tuple[dict[str, Any], str]:
    """The flow that waits for the code, and its source."""
    began = time.perf_counter()
    async with asyncio.timeout(STANDS_IN_S):
        if not NETWORK:
            return await real.ask("POST", "/api/config/config_entries/flow", handler="hm_gateway"), "added by hand"
        flow = await real.found()
    assert flow["context"]["source"] == "zeroconf"
    return flow, f"found after {time.perf_counter() - began:.1f} s"
