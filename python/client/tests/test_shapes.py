"""Answers grow: what the client does not know yet it passes over, and what is none of the service's it says so."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest

from hm_gateway_client import (
    Cause,
    Gang,
    HmError,
    House,
    OtherEvent,
    OtherState,
    SensorState,
    SwitchState,
    Touch,
)
from hm_gateway_client.caller import Caller, shaped
from hm_gateway_client.events import event_of
from hm_gateway_client.home import Home, HomeChange
from hm_gateway_client.shapes import maker_of
from hm_gateway_client.states import state_of
from hm_gateway_client.stream_session import WAITING_EVENTS_MAX, Dropped, ReceivedEvent, StreamSession
from hm_gateway_client.transport import HttpAnswer, HttpRequest
from played import ManualTiming, http_answer, settled

GANG = {"id": "g", "name": "G", "class": "switch_gang", "gang": 0, "operations": [], "room": None, "floor": None}
MODULE = {**GANG, "id": "m", "class": "gang_module", "kind": "module", "model": None, "gangs": [GANG]}
HOUSE = {"house": "Elm", "gateway": "x", "floors": [], "rooms": [], "units": [MODULE], "scenes": []}


def test_unknown_fields_and_words_are_passed_over() -> None:
    state = state_of("light_switch", {"on": True, "mode": "party", "asOf": 1, "colour": "red"})
    assert state == SwitchState(as_of=1, on=True, mode="party")
    assert maker_of(Gang)({**GANG, "light": True, "since": 3}).light
    assert maker_of(Cause)({"source": "ghost", "name": "G", "by": {"source": "scene", "name": "S"}}).by is not None


def test_classes_and_kinds_that_nobody_knows_yet_are_kept_as_they_came() -> None:
    assert state_of("fountain", {"jets": 3}) == OtherState({"jets": 3})
    assert state_of("light_switch", {"glow": 3}) == OtherState({"glow": 3})
    assert state_of("light_switch", None) is None
    weather = {"event": "weather", "state": {}}
    assert event_of(weather) == OtherEvent("weather", weather)
    assert isinstance(event_of({"event": "state"}), OtherEvent)
    assert state_of("meter", {"power": 3, "asOf": 1}) == SensorState(as_of=1, power=3)
    alarmed = {"smoke": True, "water": False, "tamper": True, "energy": 12, "asOf": 1}
    assert state_of("sensor", alarmed) == SensorState(as_of=1, smoke=True, water=False, tamper=True, energy=12)


@pytest.mark.parametrize(
    "answer", [[], None, "hello", {}, {**HOUSE, "house": 1}, {**HOUSE, "floors": {}}, {**HOUSE, "units": [3]}]
)
def test_an_answer_of_another_shape_is_none_of_the_service(answer: Any) -> None:
    with pytest.raises(HmError, match="not from the service") as refused:
        shaped(answer, maker_of(House))
    assert refused.value.code == "unknown"


def test_what_is_no_shape_of_json_is_a_defect() -> None:
    @dataclass
    class Wrong:
        at: complex

    with pytest.raises(TypeError, match="no shape"):
        maker_of(Wrong)
    with pytest.raises(TypeError, match="no dataclass"):
        maker_of(int)
    make = maker_of(SwitchState)
    for wrong in ({"on": 1}, {"mode": None}, {"asOf": True}):
        with pytest.raises(TypeError):
            make({"on": True, "mode": "auto", "asOf": 1, **wrong})


class QuietHome:
    """A transport that answers reads of one house, and whose stream says nothing by itself."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.listener: Any = None

    async def request(self, request: HttpRequest) -> HttpAnswer:
        body: dict[str, Any] = {"house": "Elm", "sensors": [], "scenes": []} if "house" not in request.path else HOUSE
        return http_answer({"status": 200, "headers": {"content-type": "application/json"}, "body": body})

    def stream(self, listener: Any) -> Any:
        self.listener = listener
        return self

    def send(self, text: str) -> None:
        self.sent.append(text)

    def close(self) -> None:
        self.sent.append("closed")


async def test_a_module_that_no_longer_answers_takes_its_gangs_along() -> None:
    transport = QuietHome()
    home = Home(Caller(transport, ManualTiming()))
    opening = asyncio.ensure_future(home.open())
    await settled()
    transport.listener.opened()
    transport.listener.heard(json.dumps({"id": "subscribe", "status": 200, "body": {"seq": 1}}))
    await opening
    event: dict[str, Any] = {"at": 1, "house": "Elm", "class": "gang_module", "state": None, "event": "state"}
    silent: list[dict[str, Any]] = [{"device": "m", "reachable": False}, {"device": "none"}]
    for seq, change in enumerate(silent):
        transport.listener.heard(json.dumps({**event, **change, "seq": seq}))
    scene = {**event, "event": "scene", "device": "none", "state": {"running": True}, "seq": 3}
    transport.listener.heard(json.dumps(scene))
    transport.listener.heard(json.dumps({"event": "weather", "seq": 4}))
    await settled()
    assert [device.reachable for device in home.devices.values()] == [False, False]
    await home.close()


async def test_touches_are_followed_if_wanted() -> None:
    transport = QuietHome()
    home = Home(Caller(transport, ManualTiming()), with_touches=True)
    changes: list[HomeChange] = []
    home.on_change(changes.append)
    opening = asyncio.ensure_future(home.open())
    await settled()
    transport.listener.opened()
    assert json.loads(transport.sent[0])["subscribe"] == ["*", "touch"]
    transport.listener.heard(json.dumps({"id": "subscribe", "status": 200, "body": {"seq": 1}}))
    await opening
    touch = {"at": 1, "event": "touch", "house": "Elm", "device": "m", "class": "gang_module", "seq": 2}
    transport.listener.heard(json.dumps({**touch, "state": {"key": "side_left", "press": "long"}}))
    await settled()
    assert changes[-1] == HomeChange("touch", "m")
    assert home.touch is not None
    assert home.touch.state == Touch("side_left", "long")
    await home.close()


async def test_a_reader_who_is_too_slow_is_told_to_read_anew() -> None:
    transport = QuietHome()
    session = StreamSession(transport, ManualTiming(), ["*"], None)
    for seq in range(WAITING_EVENTS_MAX + 1):
        session.heard(f'{{"event": "state", "seq": {seq}}}')
    assert isinstance(await session.next(), Dropped)
    item = await session.next()
    assert isinstance(item, ReceivedEvent)
    assert item.event["seq"] == WAITING_EVENTS_MAX
    session.close()
    session.heard('{"event": "state"}')
