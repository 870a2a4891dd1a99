"""Home Assistant as a process of its own, set up over HTTP as its pages do it, of each release that is tried."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from gateway import Gateway
from home import code_of, figure

COMPONENTS = Path(__file__).parents[1] / "custom_components"
RELEASES: dict[str, str] = json.loads(os.environ.get("HM_HOME_ASSISTANTS", "{}"))
"""The Python of each release, as ``npm run test:home-assistant`` has made them."""
NETWORK = bool(os.environ.get("HM_HOME_NETWORK"))
"""Whether this machine is on a network of the home, that the tests have to themselves."""
CONFIGURATION = """
http:
  server_host: 127.0.0.1
  server_port: {port}
api:
config:
onboarding:
"""
CLIENT = "http://127.0.0.1/"
KINDS = {"light", "lock", "climate", "cover", "scene", "remote", "sensor"}
ENTITIES_MIN = 60
SAID_LINES = 40
"""Of a process that did not do what it should: the last that it said."""
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
            except aiohttp.ClientError, AssertionError:
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

    async def found(self) -> dict[str, Any]:
        """The flow of the first home that it finds on the network, as its page is told of it."""
        async with self.session.ws_connect(f"{self.url}/api/websocket") as page:
            await page.receive_json()
            await page.send_json({"type": "auth", "access_token": self.token})
            await page.receive_json()
            await page.send_json({"id": 1, "type": "config_entries/flow/subscribe"})
            while True:
                heard = await page.receive_json()
                for each in heard.get("event") or ():
                    flow: dict[str, Any] = each["flow"]
                    if flow["handler"] == "hm_gateway":
                        return flow

    async def states(self) -> dict[str, str]:
        """What all entities show."""
        return {each["entity_id"]: each["state"] for each in await self.ask("GET", "/api/states")}

    async def until_house_stands(self) -> None:
        """Waits until there is something of every kind, and lamps show whether they are on."""
        while True:
            states = await self.states()
            kinds = {each.split(".")[0] for each in states}
            lit = any(name.startswith("light.") and state in ("on", "off") for name, state in states.items())
            if lit and kinds >= KINDS and len(states) >= ENTITIES_MIN:
                return
            await asyncio.sleep(0.2)


def configured(folder: Path) -> str:
    """A folder for a Home Assistant that nobody has set up yet; answers where it will listen."""
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    found = "zeroconf:\n" if NETWORK else ""
    (folder / "configuration.yaml").write_text(CONFIGURATION.format(port=port) + found)
    (folder / "custom_components").symlink_to(COMPONENTS)
    return f"http://127.0.0.1:{port}"


@asynccontextmanager
async def running(python: Path, folder: Path, url: str) -> AsyncGenerator[RealHomeAssistant]:
    """Home Assistant on a folder, from its start to its orderly end."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "PYTEST", "PYTHONPATH"))}
    with (folder / "output").open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            python, "-m", "homeassistant", "--skip-pip", "-c", str(folder), env=env, stdout=output, stderr=output
        )
    try:
        async with aiohttp.ClientSession() as session:
            made = RealHomeAssistant(session, url)
            async with asyncio.timeout(STARTS_IN_S):
                await made.until_up()
            yield made
    except BaseException as error:
        error.add_note("\n".join((folder / "output").read_text().splitlines()[-SAID_LINES:]))
        raise
    finally:
        process.terminate()
        await process.wait()


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.timeout(2 * (STARTS_IN_S + STANDS_IN_S) + STANDS_IN_S)
async def test_a_home_is_found_and_stands_after_one_pasted_code_and_after_a_restart(
    release: str, tmp_path: Path, real_sockets: None
) -> None:
    """Notes how long it takes. Found it is where the tests have a network; else it is added by hand."""
    gateway = await Gateway(tmp_path / "gateway", HM_HOST="::" if NETWORK else "127.0.0.1").start()
    python, folder = Path(RELEASES[release]), tmp_path / "config"
    url = configured(folder)
    try:
        code = await code_of(gateway, await gateway.new_integration())
        async with running(python, folder, url) as real:
            await real.sign_in()
            token = real.token
            flow, how = await begun(real)
            began = time.perf_counter()
            async with asyncio.timeout(STANDS_IN_S):
                made = await real.ask("POST", f"/api/config/config_entries/flow/{flow['flow_id']}", code=code)
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
    """The flow that waits for the code, and how it came to be."""
    began = time.perf_counter()
    async with asyncio.timeout(STANDS_IN_S):
        if not NETWORK:
            return await real.ask("POST", "/api/config/config_entries/flow", handler="hm_gateway"), "added by hand"
        flow = await real.found()
    assert flow["context"]["source"] == "zeroconf"
    return flow, f"found after {time.perf_counter() - began:.1f} s"
