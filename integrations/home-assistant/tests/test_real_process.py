"""Home Assistant as a process of its own, set up over HTTP as its pages do it: one pasted code, and the house stands."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from gateway import Gateway
from home import code_of

COMPONENTS = Path(__file__).parents[1] / "custom_components"
CONFIGURATION = """
http:
  server_host: 127.0.0.1
  server_port: {port}
api:
config:
onboarding:
"""
CLIENT = "http://127.0.0.1/"
STARTS_IN_S = 120
STANDS_IN_S = 60
"""What the integration promises from the pasted code on."""


class RealHomeAssistant:
    """Asked over HTTP."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self.session = session
        self.url = url
        self.token = ""

    async def ask(self, method: str, path: str, **body: Any) -> Any:
        """One request of its API, JSON."""
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        given = {"data": body.pop("form")} if "form" in body else {"json": body} if body else {}
        async with self.session.request(method, self.url + path, headers=headers, **given) as answer:
            assert answer.status < 300, await answer.text()
            return await answer.json()

    async def until_up(self) -> None:
        """Waits until it listens and has its pages for the first user."""
        while True:
            try:
                await self.ask("GET", "/api/onboarding")
            except (aiohttp.ClientError, AssertionError):
                await asyncio.sleep(0.5)
            else:
                return

    async def sign_in(self) -> None:
        """Makes the first user."""
        made = await self.ask(
            "POST", "/api/onboarding/users", client_id=CLIENT, name="A", username="a", password="a-b-c", language="en"
        )
        form = {"grant_type": "authorization_code", "code": made["auth_code"], "client_id": CLIENT}
        self.token = (await self.ask("POST", "/auth/token", form=form))["access_token"]


@pytest_asyncio.fixture
async def real(tmp_path: Path, real_sockets: None) -> AsyncGenerator[RealHomeAssistant]:
    """A Home Assistant that nobody has set up yet."""
    folder = tmp_path / "config"
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "configuration.yaml").write_text(CONFIGURATION.format(port=port))
    (folder / "custom_components").symlink_to(COMPONENTS)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "PYTEST"))}
    # What its own parts need it fetches itself, as everywhere, by the uv that came with it.
    programs = Path(sys.executable).parent
    env |= {"PATH": f"{programs}:{env['PATH']}", "VIRTUAL_ENV": str(programs.parent)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "homeassistant", "-c", str(folder), env=env
    )
    try:
        async with aiohttp.ClientSession() as session:
            made = RealHomeAssistant(session, f"http://127.0.0.1:{port}")
            async with asyncio.timeout(STARTS_IN_S):
                await made.until_up()
            yield made
    finally:
        process.terminate()
        await process.wait()


@pytest.mark.timeout(STARTS_IN_S + STANDS_IN_S + 60)
async def test_one_pasted_code_and_the_house_stands_within_a_minute(gateway: Gateway, real: RealHomeAssistant) -> None:
    code = await code_of(gateway, await gateway.new_integration())
    await real.sign_in()
    async with asyncio.timeout(STANDS_IN_S):
        flow = await real.ask("POST", "/api/config/config_entries/flow", handler="hm_gateway")
        made = await real.ask("POST", f"/api/config/config_entries/flow/{flow['flow_id']}", code=code)
        assert made["type"] == "create_entry", made
        while True:
            states = {each["entity_id"]: each["state"] for each in await real.ask("GET", "/api/states")}
            if any(name.startswith("light.") and state in ("on", "off") for name, state in states.items()):
                break
            await asyncio.sleep(0.2)
    assert len(states) > 60
    assert {"light", "lock", "climate", "cover", "scene", "remote", "sensor"} <= {each.split(".")[0] for each in states}
