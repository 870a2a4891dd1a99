"""The official MCP client of Python as a process of its own.

It reads one command a line and prints one line of JSON for each: an answer, an error, or a question of the server that
the next line answers.
"""

import asyncio
import json
import ssl
import sys
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult


def say(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


async def read_command() -> dict[str, Any] | None:
    line = await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    return json.loads(line) if line else None


async def ask_user(_context: Any, params: Any) -> ElicitResult:
    say({"question": params.message})
    return ElicitResult(**(await read_command() or {"action": "cancel"}))


async def main(url: str, ca: str, token: str, mode: str, elicits: bool) -> None:
    sent: dict[str, int] = {}

    async def count(request: httpx2.Request) -> None:
        if request.method == "POST":
            method = json.loads(await request.aread()).get("method", "response")
            sent[method] = sent.get(method, 0) + 1

    http = httpx2.AsyncClient(
        verify=ssl.create_default_context(cafile=ca),
        headers={"authorization": f"Bearer {token}"},
        event_hooks={"request": [count]},
        timeout=httpx2.Timeout(120),
    )
    transport = streamable_http_client(url, http_client=http)
    async with http, Client(transport, mode=mode, elicitation_callback=ask_user if elicits else None) as client:
        say({"answer": client.protocol_version})
        while command := await read_command():
            try:
                if "token" in command:
                    http.headers["authorization"] = f"Bearer {command['token']}"
                    say({"answer": None})
                elif "tool" in command:
                    result = await client.call_tool(command["tool"], command["arguments"])
                    say({"answer": result.model_dump(mode="json", by_alias=True)})
                else:
                    say({"answer": sent})
            except Exception as error:
                say({"error": repr(error)})


asyncio.run(main(*sys.argv[1:5], sys.argv[5] == "elicits"))
