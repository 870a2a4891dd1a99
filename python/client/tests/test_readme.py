"""The examples of README.md, each run as a program against a gateway."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path
from typing import Final

from conftest import Visit
from gateway import Gateway

FOLDER: Final = Path(__file__).parents[1]
EXAMPLES: Final = re.findall(r"```python\n(.+?)```", (FOLDER / "README.md").read_text(), re.DOTALL)


def example_with(text: str) -> str:
    [found] = [example for example in EXAMPLES if text in example]
    return str(found)


class Program:
    """An example that runs."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, code: str, visitor: Visit) -> Program:
        env = {**os.environ, "HM_CONNECTION": visitor.code, "PYTHONPATH": str(FOLDER / "src"), "PYTHONUNBUFFERED": "1"}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, env=env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        return cls(process)

    async def says(self, fits: str) -> str:
        """Waits for a line that fits."""
        assert self.process.stdout is not None
        output = ""
        while line := (await self.process.stdout.readline()).decode():
            output += line
            if re.search(fits, line):
                return line
        raise AssertionError(f"It ended without {fits}: {output}")

    async def ended(self) -> int:
        await self.process.communicate()
        return await self.process.wait()


def test_are_all_run_here() -> None:
    assert len(EXAMPLES) == 5


async def test_show_the_house_control_a_lamp_and_ask_why_and_how_much(visitor: Visit) -> None:
    showing = await Program.start(example_with("This is "), visitor)
    assert "(light_dimmer)" in await showing.says("dimmer")
    assert await showing.ended() == 0
    controlled = await Program.start(example_with("set_brightness(40)"), visitor)
    assert re.search(r" is at 40 %\.$", await controlled.says(" is at "))
    assert await controlled.ended() == 0
    explaining = await Program.start(example_with("client.explain"), visitor)
    await explaining.says(r" Wh in the last day\.")
    await explaining.says("outside of floors: ")
    assert await explaining.ended() == 0


async def test_follow_and_keep_a_whole_home_until_the_key_is_revoked(gateway: Gateway, visitor: Visit) -> None:
    following = await Program.start(example_with("client.follow"), visitor)
    keeping = await Program.start(example_with("client.home()"), visitor)
    await following.says(r"^There\.")
    # The program prints the whole home before any change.
    async with await visitor.client.home() as home:
        *_, last = home.devices.values()
    await keeping.says(re.escape(f"{last.name} is "))
    lamp = (await visitor.client.state(device_class="light_dimmer")).devices[0]
    await asyncio.gather(following.says("bri=37"), keeping.says("bri=37"), shine(visitor, lamp.id))
    await gateway.admin("DELETE", f"/keys/{visitor.link}")
    await following.says("HmError")
    await keeping.says("^Ended: ")
    assert [await following.ended(), await keeping.ended()] == [1, 0]


async def shine(visitor: Visit, lamp: str) -> None:
    """Sets a lamp twice, so that its brightness certainly changes."""
    await visitor.client.dimmer(lamp).set_brightness(36)
    await visitor.client.dimmer(lamp).set_brightness(37)
