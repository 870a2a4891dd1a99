"""Several addresses, some of them dead, over real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack

import pytest

from conftest import Visit
from hm_gateway_client import Client, ConnectionChange, connect_to
from line_between import LineBetween
from silent_listener import SilentListener


@pytest.fixture
async def dead() -> AsyncIterator[Sequence[SilentListener]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(SilentListener()) for _ in range(3)]


def taken_by(listeners: Sequence[SilentListener]) -> list[int]:
    return [listener.taken for listener in listeners]


async def first_item(client: Client) -> object:
    """The first item that a follower receives."""
    following = client.follow()
    try:
        return await anext(following)
    finally:
        await following.aclose()


async def test_is_not_held_up_by_silent_addresses_and_keeps_to_the_one_that_answers(
    visitor: Visit, dead: Sequence[SilentListener]
) -> None:
    given_up: list[int] = []
    ca = visitor.client.ca
    assert ca is not None
    async with LineBetween(
        visitor.gateway.port, lambda: given_up.extend(listener.given_up for listener in dead)
    ) as way:
        addresses = [*(listener.url for listener in dead), way.url]
        client = await connect_to(visitor.session, addresses, visitor.token, ca=ca.pem)
        assert (await client.house()).house
        # The gateway was probed beside the dead addresses, not after their timeout.
        assert given_up[:3] == [0, 0, 0]
        assert taken_by(dead) == [1, 1, 1]
        await client.integration()
        assert await first_item(client) == ConnectionChange(connected=True)
        assert taken_by(dead) == [1, 1, 1]


async def test_begins_where_the_ca_was_found(visitor: Visit, dead: Sequence[SilentListener]) -> None:
    addresses = [*(listener.url for listener in dead), visitor.gateway.url]
    client = await connect_to(visitor.session, addresses, visitor.token, fingerprint=visitor.fingerprint)
    taken = taken_by(dead)
    assert (await client.house()).house
    assert taken_by(dead) == taken


async def test_the_first_item_of_a_follower_is_right_in_any_order_of_addresses(
    visitor: Visit, dead: Sequence[SilentListener]
) -> None:
    ca = visitor.client.ca
    assert ca is not None
    for nobody in ("https://hm-nowhere.invalid:8490", "https://127.0.0.1:1", dead[0].url):
        client = await connect_to(visitor.session, [nobody, visitor.gateway.url], visitor.token, ca=ca.pem)
        assert await first_item(client) == ConnectionChange(connected=True)
