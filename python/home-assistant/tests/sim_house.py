"""A simulated house as a process of its own, so that a test can say what its units report."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Self

from gateway import FLAGS, NODE, ROOT, Gateway

HOUSE = ROOT / "src/demo/demo-house.yaml"


class SimHouse:
    """The demo house at the end of a TCP port, with nobody in it. Lines on its input say what happens."""

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
        """One line of docs/simulator.md."""
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
    """A gateway whose units are those of the simulated house, read once."""
    gateway = await Gateway(folder, HM_HMHC=f"tcp://127.0.0.1:{house.port}").start()
    await gateway.admin("PUT", "/house/file", {"file": HOUSE.read_text(), "check": False})
    # A start reads every unit.
    await gateway.kill()
    return await gateway.start()
