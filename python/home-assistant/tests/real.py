"""Home Assistant as a process, used over HTTP and its socket as its pages do."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

COMPONENTS = Path(__file__).parents[1] / "custom_components"
RELEASES: dict[str, str] = json.loads(os.environ.get("HM_HOME_ASSISTANTS", "{}"))
"""The Python of each release, made by ``npm run test:home-assistant``."""
NETWORK = bool(os.environ.get("HM_HOME_NETWORK"))
"""True if the tests have a network of their own for discovery."""
CONFIGURATION = """
http:
  server_host: 127.0.0.1
  server_port: {port}
api:
config:
onboarding:
repairs:
"""
CLIENT = "http://127.0.0.1/"
KINDS = {"light", "lock", "climate", "cover", "scene", "remote", "sensor"}
ENTITIES_MIN = 60
SAID_LINES = 40
"""Lines of output to show of a failed process."""
LOOKS_EACH_S = 0.2
STARTS_IN_S = 120
STANDS_IN_S = 60
"""Goal of the integration: seconds from the pasted code to the entities."""


class RealHomeAssistant:
    """A running Home Assistant."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self.session = session
        self.url = url
        self.token = ""

    async def ask(self, method: str, path: str, **body: Any) -> Any:
        """Sends one request to its JSON API."""
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        fields = {"data": body.pop("form")} if "form" in body else {"json": body} if body else {}
        async with self.session.request(method, self.url + path, headers=headers, **fields) as answer:
            assert answer.status < 300, await answer.text()
            return await answer.json()

    async def until_up(self) -> None:
        """Waits until it listens and shows the page for the first user."""
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

    async def command(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Response of its socket to a command, success or failure."""
        async with self.session.ws_connect(f"{self.url}/api/websocket") as page:
            await self._signed_in(page)
            await page.send_json({"id": 1, "type": kind, **fields})
            answer: dict[str, Any] = await page.receive_json()
            return answer

    async def paste(self, flow: str, code: str) -> dict[str, Any]:
        """Response of a flow to a code."""
        made: dict[str, Any] = await self.ask("POST", f"/api/config/config_entries/flow/{flow}", code=code)
        return made

    async def asked_again(self) -> str:
        """The flow that waits for a new code, once there is one."""
        while True:
            for flow in (await self.command("config_entries/flow/progress"))["result"]:
                if flow["handler"] == "hm_gateway" and flow["context"]["source"] == "reauth":
                    return str(flow["flow_id"])
            await asyncio.sleep(LOOKS_EACH_S)

    async def repairs(self) -> dict[str, dict[str, Any]]:
        """Repair issues of the home, by key."""
        issues = (await self.command("repairs/list_issues"))["result"]["issues"]
        return {item["translation_key"]: item for item in issues if item["domain"] == "hm_gateway"}

    async def until_repairs(self, is_so: Callable[[dict[str, dict[str, Any]]], bool]) -> dict[str, dict[str, Any]]:
        """Waits for repair issues that fit."""
        return await _until(self.repairs, is_so)

    async def until_states(self, is_so: Callable[[dict[str, str]], bool]) -> dict[str, str]:
        """Waits for states that fit."""
        return await _until(self.states, is_so)

    async def _signed_in(self, page: aiohttp.ClientWebSocketResponse) -> None:
        await page.receive_json()
        await page.send_json({"type": "auth", "access_token": self.token})
        await page.receive_json()

    async def found(self) -> dict[str, Any]:
        """The flow of the first discovered home, as its page sees it."""
        async with self.session.ws_connect(f"{self.url}/api/websocket") as page:
            await self._signed_in(page)
            await page.send_json({"id": 1, "type": "config_entries/flow/subscribe"})
            while True:
                message = await page.receive_json()
                for item in message.get("event") or ():
                    flow: dict[str, Any] = item["flow"]
                    if flow["handler"] == "hm_gateway":
                        return flow

    async def states(self) -> dict[str, str]:
        """States of all entities."""
        return {item["entity_id"]: item["state"] for item in await self.ask("GET", "/api/states")}

    async def until_house_stands(self) -> None:
        """Waits for entities of all platforms, with known states of the lamps."""
        await self.until_states(_is_house)


async def _until[T](look: Callable[[], Awaitable[T]], is_so: Callable[[T], bool]) -> T:
    """Polls until the result fits, because the other process sends no events."""
    while True:
        seen = await look()
        if is_so(seen):
            return seen
        await asyncio.sleep(LOOKS_EACH_S)


def _is_house(states: dict[str, str]) -> bool:
    kinds = {item.split(".")[0] for item in states}
    lit = any(name.startswith("light.") and state in ("on", "off") for name, state in states.items())
    return lit and kinds >= KINDS and len(states) >= ENTITIES_MIN


def configured(folder: Path) -> str:
    """Makes a folder for a new Home Assistant; returns its future URL."""
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
    """Runs Home Assistant on a folder, from its start to its orderly end."""
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
