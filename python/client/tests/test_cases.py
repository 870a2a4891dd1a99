"""The cases that clients of all languages share: client/cases.json and client/connection-codes.json."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from hm_gateway_client import Connection, HmClientError, decode_connection_code, encode_connection_code
from hm_gateway_client.caller import Caller
from played import CLIENT, HastyTiming, Json, PlayedExchanges, PlayedHome, PlayedStream, error_fields, expect_within
from played_reach import PlayedReach

CASES: Final[dict[str, Any]] = json.loads((CLIENT / "cases.json").read_text())
CODES: Final[dict[str, Any]] = json.loads((CLIENT / "connection-codes.json").read_text())


def named(entry: Json) -> str:
    return str(entry["name"])


@pytest.mark.parametrize("case", CASES["calls"], ids=named)
async def test_a_call(case: Json) -> None:
    transport, timing = PlayedExchanges(case["exchanges"]), HastyTiming()
    caller = Caller(transport, timing)
    for call, outcome in zip(case["calls"], case["outcomes"], strict=True):
        options = call.get("input", {})
        calling = caller.call(
            call["method"],
            call["path"],
            parameters=options.get("path"),
            query=options.get("query"),
            body=options.get("body"),
            idempotency_key=options.get("idempotencyKey"),
        )
        if "error" in outcome:
            with pytest.raises(HmClientError) as thrown:
                await calling
            expect_within(error_fields(thrown.value), outcome["error"])
        else:
            assert await calling == outcome["answer"]
    assert (transport.left, timing.waited) == ([], case["waits"])


@pytest.mark.parametrize("case", CASES["follows"], ids=named)
async def test_following(case: Json) -> None:
    play = PlayedStream(case.get("since"))
    await play.play(case["steps"])
    await play.end()


@pytest.mark.parametrize("case", CASES["homes"], ids=named)
async def test_a_live_home(case: Json) -> None:
    play = PlayedHome()
    await play.play(case["steps"])
    await play.end()


@pytest.mark.parametrize("case", CASES["reaches"], ids=named)
async def test_looking_for_the_address_that_answers(case: Json) -> None:
    await PlayedReach(case["addresses"]).play(case["steps"])


@pytest.mark.parametrize("entry", CODES["sound"], ids=named)
def test_a_sound_code_says_what_it_was_made_of(entry: Json) -> None:
    connection = Connection(tuple(entry["addresses"]), entry["fingerprint"], entry["token"])
    assert decode_connection_code(entry["code"]) == connection
    assert encode_connection_code(connection) == entry["code"]
    assert entry["token"] not in repr(connection)


@pytest.mark.parametrize("entry", CODES["spaced"], ids=named)
def test_white_space_in_a_code_does_not_count(entry: Json) -> None:
    assert decode_connection_code(entry["code"]) == decode_connection_code(entry["means"])
    assert decode_connection_code(entry["means"]) is not None


@pytest.mark.parametrize("entry", CODES["unsound"], ids=named)
def test_an_unsound_code_is_none(entry: Json) -> None:
    assert decode_connection_code(entry["code"]) is None
