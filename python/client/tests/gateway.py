"""A real gateway as a process of its own, with the simulated house inside, on a free port of the loopback interface."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from pathlib import Path
from typing import Any, Final, Self

import aiohttp

ROOT: Final = Path(__file__).parents[3]
NODE: Final = os.environ.get("HM_NODE", "node")
FLAGS: Final = os.environ.get("HM_GATEWAY_FLAGS", "--disable-warning=ExperimentalWarning").split()
UP: Final = "Ctrl-C stops it."
EVERYTHING: Final = {"advanced_config": "read_write", "structural": "on", "automations": "on", "schedules": "on"}


class Gateway:
    """Can be started, killed and started again on the same data, and administered."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.settings = settings
        self.url = ""
        self.port = 0
        self.integration = ""
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> Self:
        """Starts it, and waits until it is up; at the same port each time."""
        # Without settings of this machine, such as HM_* variables.
        env = {name: value for name, value in os.environ.items() if not name.startswith(("HM_", "NODE_OPTIONS"))}
        env |= {"HM_DATA_DIR": str(self.folder), "HM_HOST": "127.0.0.1", "HM_PORT": str(self.port)}
        env |= {"NODE_COMPILE_CACHE": str(ROOT / "node_modules/.cache/compile"), **self.settings}
        self._process = await asyncio.create_subprocess_exec(
            NODE, *FLAGS, str(ROOT / "src/main.ts"), cwd=ROOT, env=env, stdout=asyncio.subprocess.PIPE
        )
        printed = ""
        assert self._process.stdout is not None
        while UP not in printed:
            line = await self._process.stdout.readline()
            if not line:
                raise RuntimeError(f"The gateway ended: {printed}")
            printed += line.decode()
        found = re.search(r"https://localhost:(\d+)", printed)
        assert found is not None
        self.port = int(found[1])
        self.url = f"https://127.0.0.1:{self.port}"
        return self

    async def kill(self) -> None:
        """Kills it, as a power cut does."""
        if self._process is None:
            return
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGKILL)
        # The pipe is read to its end, so that it is closed with the process.
        await self._process.communicate()
        self._process = None

    async def admin(self, method: str, path: str, body: object = None) -> Any:
        """Calls the administrators' API over its socket file."""
        connector = aiohttp.UnixConnector(path=str(self.folder / "admin.sock"))
        async with (
            aiohttp.ClientSession(connector=connector) as session,
            session.request(method, f"http://localhost/admin/v1{path}", json=body) as answer,
        ):
            assert answer.status < 300, await answer.text()
            return await answer.json() if answer.content_type == "application/json" else await answer.text()

    async def new_integration(self, *expose: str, **settings: str) -> str:
        """The id of a new integration: of everything, with all knobs on but locks, unless told otherwise."""
        body = {"name": "Python", "expose": list(expose) or ["all"], "settings": {**EVERYTHING, **settings}}
        made = await self.admin("POST", "/integrations", body)
        return str(made["integration"]["id"])

    async def new_key(self, integration: str) -> dict[str, Any]:
        """A new key: its ``token`` and ``connectionCode``."""
        made: dict[str, Any] = await self.admin("POST", "/keys", {"integration": integration})
        return made

    async def fingerprint(self) -> str:
        """Fingerprint of its CA, from the administrators' API."""
        return str((await self.admin("GET", "/tls"))["ca"]["fingerprint"])
