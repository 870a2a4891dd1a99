"""A home, as a program sees it: methods for the common calls, ``call`` for all others."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any, TypeVar

from .answers import (
    ActivityAnswer,
    CalendarsAnswer,
    ControlAnswer,
    EnergyAnswer,
    ExplainAnswer,
    GroupAnswer,
    GroupsAnswer,
    IntegrationAnswer,
    IntentAnswer,
    IntentDefsAnswer,
    IntentsAnswer,
    ModeAnswer,
    PeopleAnswer,
    ReportedPresence,
    SceneRunAnswer,
    ScenesAnswer,
    SensorsAnswer,
    StateAnswer,
)
from .caller import Caller, shaped
from .devices import AirConditioner, Cover, Dimmer, Gate, Lock, PowerSwitch, Remote, Switch
from .events import Event, event_of
from .follow import ConnectionChange, Resync, follow
from .home import Home
from .house import House
from .rules import AutomationAnswer, AutomationsAnswer, ScheduleAnswer, SchedulesAnswer
from .shapes import maker_of
from .transport import Timing, Transport
from .trust import Ca

T = TypeVar("T")

Followed = Event | Resync | ConnectionChange


class Client(Caller):
    """Calls, the stream, and a live model of one home."""

    def __init__(self, transport: Transport, timing: Timing | None = None, *, ca: Ca | None = None) -> None:
        """Programs get a client from ``connect``."""
        super().__init__(transport, timing)
        self.ca = ca
        """The only trusted CA; None if the CAs of the machine are trusted."""

    async def follow(
        self, topics: Sequence[str] = ("*",), *, since: int | None = None
    ) -> AsyncGenerator[Followed, None]:
        """Events of these topics, across reconnects.

        On Resync, read the home again; it comes first and after every gap. ``since`` is the ``seq`` of the last event
        received earlier, to continue from there. Raises HmError if the credential has ended or a topic does not exist,
        TrustError for another CA.
        """
        following = follow(self, topics, since)
        try:
            async for item in following:
                yield event_of(item) if isinstance(item, Mapping) else item
        finally:
            await following.aclose()

    async def home(
        self,
        *,
        with_mode: bool = False,
        with_people: bool = False,
        with_messages: bool = False,
        with_touches: bool = False,
    ) -> Home:
        """A live model of the whole home; close it in the end, or use it by ``async with``.

        ``with_mode`` and ``with_people``: also follows the mode and the people, which the integration must see.
        ``with_messages``: also follows the messages for people. ``with_touches``: also follows touches of keys.
        """
        home = Home(
            self,
            with_mode=with_mode,
            with_people=with_people,
            with_messages=with_messages,
            with_touches=with_touches,
        )
        return await home.open()

    def switch(self, id: str) -> Switch:
        """A light_switch, sense_switch or switch_gang."""
        return Switch(self, id)

    def dimmer(self, id: str) -> Dimmer:
        """A light_dimmer."""
        return Dimmer(self, id)

    def cover(self, id: str) -> Cover:
        """A shutter, curtain or shutter_gang."""
        return Cover(self, id)

    def power_switch(self, id: str) -> PowerSwitch:
        """A power_switch."""
        return PowerSwitch(self, id)

    def ac(self, id: str) -> AirConditioner:
        """An air conditioner."""
        return AirConditioner(self, id)

    def lock(self, id: str) -> Lock:
        """A lock."""
        return Lock(self, id)

    def gate(self, id: str) -> Gate:
        """A gate."""
        return Gate(self, id)

    def remote(self, id: str) -> Remote:
        """An ir_remote."""
        return Remote(self, id)

    async def integration(self) -> IntegrationAnswer:
        """The integration of this token, with its permissions."""
        return await self.read("/v1/integration", maker_of(IntegrationAnswer))

    async def house(self, *, room: str | None = None, device_class: str | None = None) -> House:
        """Floors, rooms, units, scenes and groups, with their states."""
        return await self.read("/v1/house", maker_of(House), query={"room": room, "class": device_class})

    async def state(self, *, room: str | None = None, device_class: str | None = None) -> StateAnswer:
        """The state of every device."""
        return await self.read("/v1/state", maker_of(StateAnswer), query={"room": room, "class": device_class})

    async def sensors(self, *, room: str | None = None, device_class: str | None = None) -> SensorsAnswer:
        """Readings of all sensors and meters."""
        return await self.read("/v1/sensors", maker_of(SensorsAnswer), query={"room": room, "class": device_class})

    async def control(self, body: Mapping[str, Any], *, idempotency_key: str | None = None) -> ControlAnswer:
        """Controls several devices: ``controls``, a list, or one ``op`` of a ``room``, ``floor`` or ``group``."""
        return await self._change("post", "/v1/control", maker_of(ControlAnswer), {}, body, idempotency_key)

    async def calendars(self, *, from_: int | None = None, to: int | None = None) -> CalendarsAnswer:
        """The calendars that rules can name, with their next events, or those of a range in epoch ms."""
        return await self.read("/v1/calendars", maker_of(CalendarsAnswer), query={"from": from_, "to": to})

    async def mode(self) -> ModeAnswer:
        """The mode of the home, and the modes that it can have. HmError with status 404 if it is hidden."""
        return await self.read("/v1/mode", maker_of(ModeAnswer))

    async def set_mode(self, mode: str, *, until: int | None = None, idempotency_key: str | None = None) -> ModeAnswer:
        """Sets the mode. With ``until`` (epoch ms) the mode that lasted before returns then."""
        body = {"mode": mode, "until": until}
        return await self._change("put", "/v1/mode", maker_of(ModeAnswer), {}, body, idempotency_key)

    async def people(self) -> PeopleAnswer:
        """The presence of the home's people. HmError with status 404 if they are hidden."""
        return await self.read("/v1/persons", maker_of(PeopleAnswer))

    async def report_presence(
        self, person: str, presence: str, *, idempotency_key: str | None = None
    ) -> ReportedPresence:
        """Reports that a person is home, away or unknown. The integration needs the permission for this person."""
        path, maker = "/v1/persons/{id}/presence", maker_of(ReportedPresence)
        return await self._change("put", path, maker, {"id": person}, {"is": presence}, idempotency_key)

    async def scenes(self) -> ScenesAnswer:
        """The scenes, and which of them run."""
        return await self.read("/v1/scenes", maker_of(ScenesAnswer))

    async def groups(self) -> GroupsAnswer:
        """The named groups."""
        return await self.read("/v1/groups", maker_of(GroupsAnswer))

    async def create_group(self, body: Mapping[str, Any], *, idempotency_key: str | None = None) -> GroupAnswer:
        """Stores a new group: ``name``, and ``members``, a list of device ids."""
        return await self._change("post", "/v1/groups", maker_of(GroupAnswer), {}, body, idempotency_key)

    async def edit_group(self, id: str, body: Mapping[str, Any], *, idempotency_key: str | None = None) -> GroupAnswer:
        """Changes the fields of ``body``, which has the revision that was read as ``ifRevision``."""
        return await self._change("patch", "/v1/groups/{id}", maker_of(GroupAnswer), {"id": id}, body, idempotency_key)

    async def run_scene(self, id: str, *, idempotency_key: str | None = None) -> SceneRunAnswer:
        """Returns when the scene has begun to run."""
        path = "/v1/scenes/{id}/run"
        return await self._change("post", path, maker_of(SceneRunAnswer), {"id": id}, None, idempotency_key)

    async def automations(self) -> AutomationsAnswer:
        """The automations whose every device and scene the integration sees; needs the knob ``automations``."""
        return await self.read("/v1/automations", maker_of(AutomationsAnswer))

    async def automation(self, id: str) -> AutomationAnswer:
        """One automation."""
        return await self.read("/v1/automations/{id}", maker_of(AutomationAnswer), parameters={"id": id})

    async def create_automation(
        self, body: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> AutomationAnswer:
        """Stores a new automation: ``name``, ``when`` and ``then``, if wanted also ``if``, ``mode`` and ``enabled``."""
        return await self._change("post", "/v1/automations", maker_of(AutomationAnswer), {}, body, idempotency_key)

    async def edit_automation(
        self, id: str, body: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> AutomationAnswer:
        """Changes the fields of ``body``, which has the revision that was read as ``ifRevision``."""
        path = "/v1/automations/{id}"
        return await self._change("patch", path, maker_of(AutomationAnswer), {"id": id}, body, idempotency_key)

    async def schedules(self) -> SchedulesAnswer:
        """The schedules whose every device and scene the integration sees; needs the knob ``schedules``."""
        return await self.read("/v1/schedules", maker_of(SchedulesAnswer))

    async def schedule(self, id: str) -> ScheduleAnswer:
        """One schedule."""
        return await self.read("/v1/schedules/{id}", maker_of(ScheduleAnswer), parameters={"id": id})

    async def create_schedule(self, body: Mapping[str, Any], *, idempotency_key: str | None = None) -> ScheduleAnswer:
        """Stores a new schedule: ``name``, ``at`` and ``then``, if wanted also ``days`` and ``enabled``."""
        return await self._change("post", "/v1/schedules", maker_of(ScheduleAnswer), {}, body, idempotency_key)

    async def edit_schedule(
        self, id: str, body: Mapping[str, Any], *, idempotency_key: str | None = None
    ) -> ScheduleAnswer:
        """Changes the fields of ``body``, which has the revision that was read as ``ifRevision``."""
        path = "/v1/schedules/{id}"
        return await self._change("patch", path, maker_of(ScheduleAnswer), {"id": id}, body, idempotency_key)

    async def explain(self, id: str, *, from_: int | None = None, to: int | None = None) -> ExplainAnswer:
        """Explains the state of a device. Range in epoch ms; default: the last 24 hours."""
        return await self.read(
            "/v1/devices/{id}/explain",
            maker_of(ExplainAnswer),
            parameters={"id": id},
            query={"from": from_, "to": to},
        )

    async def activity(
        self,
        *,
        device: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        limit: int | None = None,
        kind: str | None = None,
        source: str | None = None,
    ) -> ActivityAnswer:
        """Events of the home with their causes, newest first."""
        query = {"device": device, "from": from_, "to": to, "limit": limit, "kind": kind, "source": source}
        return await self.read("/v1/activity", maker_of(ActivityAnswer), query=query)

    async def energy(
        self,
        *,
        scope: str | None = None,
        period: str | None = None,
        from_: int | None = None,
        to: int | None = None,
    ) -> EnergyAnswer:
        """Energy in Wh and its cost: ``scope`` is house, room:ID, floor:ID or device:ID, ``period`` day or week."""
        query = {"scope": scope, "period": period, "from": from_, "to": to}
        return await self.read("/v1/energy", maker_of(EnergyAnswer), query=query)

    async def intents(self, id: str) -> IntentsAnswer:
        """Settings of a device, as its unit last confirmed them."""
        return await self.read("/v1/devices/{id}/intents", maker_of(IntentsAnswer), parameters={"id": id})

    async def intent_definitions(self) -> IntentDefsAnswer:
        """Definitions of all intents, with the schemas of their values."""
        return await self.read("/v1/intents", maker_of(IntentDefsAnswer))

    async def set_intent(
        self, id: str, intent: str, value: object, *, idempotency_key: str | None = None
    ) -> IntentAnswer:
        """Changes a setting; the response has the value that the unit confirmed."""
        parameters = {"id": id, "intent": intent}
        path = "/v1/devices/{id}/intents/{intent}"
        return await self._change("put", path, maker_of(IntentAnswer), parameters, {"value": value}, idempotency_key)

    async def _change(
        self,
        method: str,
        path: str,
        make: Callable[[Any], T],
        parameters: Mapping[str, str],
        body: object,
        idempotency_key: str | None,
    ) -> T:
        answer = await self.call(method, path, parameters=parameters, body=body, idempotency_key=idempotency_key)
        return shaped(answer, make)
