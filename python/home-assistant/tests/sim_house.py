"""A simulated house as a process, whose units report at the test's command."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Self

from gateway import FLAGS, NODE, ROOT, Gateway

HOUSE = ROOT / "src/demo/demo-house.yaml"


class SimHouse:
    """The demo house behind a TCP port, without residents. Lines on its input are commands."""

    def __init__(self) -> None:
        self.port = 0
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> Self:
        """Starts it, and waits until it listens."""
        command = [NODE, *FLAGS, str(ROOT / "src/cli/main.ts"), "sim", "--tcp", "0", "--no-people"]
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=pipe, stdout=pipe)
        assert self._process.stdout is not None
        while not self.port:
            line = await self._process.stdout.readline()
            if not line:
                raise RuntimeError("The simulated house ended.")
            if found := re.search(r"tcp://127\.0\.0\.1:(\d+)", line.decode()):
                self.port = int(found[1])
        return self

    async def say(self, line: str) -> None:
        """Sends one command of docs/simulator.md."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        await self._process.stdin.drain()

    async def stop(self) -> None:
        """Ends it."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.communicate()


async def gateway_at(house: SimHouse, folder: Path) -> Gateway:
    """A gateway with the units of the simulated house, after its first reads."""
    gateway = await Gateway(folder, HM_HMHC=f"tcp://127.0.0.1:{house.port}").start()
    await gateway.admin("PUT", "/house/file", {"file": HOUSE.read_text(), "check": False})
    # A start reads every unit.
    await gateway.kill()
    return await gateway.start()
