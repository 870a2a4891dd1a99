"""A live model of the home, which the stream keeps current."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType, TracebackType
from typing import Any, Final, Literal, Self, TypeVar

from .answers import HomeMode, ModeAnswer, People, PeopleAnswer, SceneEntry, ScenesAnswer, SensorsAnswer
from .caller import Caller
from .errors import HmClientError, HmConnectionError, HmError, TrustError
from .events import (
    ExposureEvent,
    IntegrationEvent,
    ListEvent,
    MessageEvent,
    ModeEvent,
    PresenceEvent,
    SceneEvent,
    SensorEvent,
    StateEvent,
    TouchEvent,
    event_of,
)
from .follow import ConnectionChange, FollowedJson, Resync, follow
from .house import Gang, Group, House, Unit
from .shapes import maker_of
from .states import SensorState, State
from .transport import pause

READ_AGAIN_S: Final = 5
"""Longest pause before a failed read is retried; the actual one is random."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class HomeDevice:
    """A unit, module or gang with its state. Every change makes a new object."""

    id: str
    name: str
    class_: str
    """Class, for example light_dimmer. Later versions may add classes."""
    kind: str
    """unit, module or gang."""
    unit: str | None
    """The id of the module of a gang; None for a unit or module."""
    gang: int | None
    """The position of a gang on its module."""
    model: str | None
    """Hardware model of the unit, or of the module of a gang."""
    room: str | None
    floor: str | None
    operations: tuple[str, ...]
    light: bool | None
    """For switches: True if it feeds a lamp; None if the administrator has not said."""
    reachable: bool
    state: State | None


@dataclass(frozen=True, slots=True)
class HomeChange:
    """A change of the model, for its listeners."""

    what: Literal[
        "home",
        "device",
        "sensor",
        "scene",
        "mode",
        "people",
        "message",
        "touch",
        "connection",
        "automations",
        "schedules",
        "integration",
        "ended",
    ]
    """home: the whole home was read again. connection: ``connected`` or ``error`` changed. automations and schedules: a
    list changed that this model does not hold. ended: last change; the home was closed, or ``error`` has the reason."""
    id: str | None = None
    """Id of the device, sensor or scene; of the touched device."""
    intents: tuple[str, ...] = ()
    """Settings of the device that its unit has just confirmed."""


Listener = Callable[[HomeChange], None]


class Home:
    """The devices that the integration sees. After a gap of the stream they are read again."""

    def __init__(
        self,
        caller: Caller,
        *,
        with_mode: bool = False,
        with_people: bool = False,
        with_messages: bool = False,
        with_touches: bool = False,
    ) -> None:
        """The model is empty before ``open``."""
        self.house: House | None = None
        self.mode: HomeMode | None = None
        """The mode of the home, if it is followed and visible."""
        self.people: People | None = None
        """The presence of the home's people, if they are followed and visible."""
        self.message: MessageEvent | None = None
        """The last message, if messages are followed."""
        self.touch: TouchEvent | None = None
        """The last touch of a key, if touches are followed."""
        self.connected = False
        """True if the model is current: the stream is connected, and the home was read since."""
        self.error: HmClientError | None = None
        """Reason if the model is not current, or has ended."""
        self._caller = caller
        self._with_mode = with_mode
        self._with_people = with_people
        topics = {"mode": with_mode, "presence": with_people, "message": with_messages, "touch": with_touches}
        self._topics = ["*", *(topic for topic, is_followed in topics.items() if is_followed)]
        self._devices: dict[str, HomeDevice] = {}
        self._sensors: dict[str, SensorState] = {}
        self._scenes: dict[str, SceneEntry] = {}
        self._listeners: list[Listener] = []
        self._following: asyncio.Task[None] | None = None

    async def open(self) -> Self:
        """Follows the home; returns after the first read. Raises if the home cannot be read."""
        read: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def look(change: HomeChange) -> None:
            if change.what in ("home", "ended") and not read.done():
                read.set_result(None)

        stop = self.on_change(look)
        self._following = asyncio.get_running_loop().create_task(self._follow())
        try:
            await read
        except asyncio.CancelledError:
            await self.close()
            raise
        finally:
            stop()
        if self.house is None:
            raise self.error or HmConnectionError("The home was closed before it was read.", is_sent=False)
        return self

    async def close(self) -> None:
        """Stops following. The model keeps its last state."""
        if self._following is None:
            return
        self._following.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._following

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def devices(self) -> Mapping[str, HomeDevice]:
        """Every unit, module and gang, by id."""
        return MappingProxyType(self._devices)

    @property
    def sensors(self) -> Mapping[str, SensorState]:
        """Readings of all sensors and meters that have reported, by id."""
        return MappingProxyType(self._sensors)

    @property
    def groups(self) -> Mapping[str, Group]:
        """The named groups, by id."""
        return MappingProxyType({} if self.house is None else {group.id: group for group in self.house.groups})

    @property
    def scenes(self) -> Mapping[str, SceneEntry]:
        """The scenes, by id."""
        return MappingProxyType(self._scenes)

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Calls a listener at every change. Returns a function that removes the listener."""
        self._listeners.append(listener)

        def stop() -> None:
            with contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return stop

    async def _follow(self) -> None:
        following = follow(self._caller, self._topics)
        try:
            async for item in following:
                await self._take(item)
        except HmClientError as error:
            self.error = error
        finally:
            await following.aclose()
            self.connected = False
            self._tell(HomeChange("ended"))

    async def _take(self, item: FollowedJson) -> None:
        if isinstance(item, ConnectionChange):
            return self._connect(connected=item.connected, error=item.error)
        if isinstance(item, Resync):
            return await self._read()
        match event_of(item):
            case StateEvent() as event:
                self._change_state(event)
            case SensorEvent() as event:
                self._change_readings(event)
            case SceneEvent() as event:
                self._change_scene(event)
            case ExposureEvent() | ListEvent(event="scenes"):
                await self._read()
            case IntegrationEvent():
                await self._read()
                self._tell(HomeChange("integration"))
            case ListEvent() as event:
                self._tell(HomeChange("automations" if event.event == "automations" else "schedules"))
            case ModeEvent() | PresenceEvent() | MessageEvent() | TouchEvent() as event:
                self._change_fact(event)
            case _:
                # An unknown kind changes nothing in this model.
                pass
        return None

    def _connect(self, *, connected: bool, error: HmClientError | None) -> None:
        self.connected, self.error = connected, error
        self._tell(HomeChange("connection"))

    async def _read(self) -> None:
        """Reads the home until it succeeds.

        Events that happen meanwhile follow afterwards. The model is not current before, even while the stream is
        connected.
        """
        while True:
            try:
                house = await self._caller.read("/v1/house", maker_of(House))
                sensors = await self._caller.read("/v1/sensors", maker_of(SensorsAnswer))
                scenes = await self._caller.read("/v1/scenes", maker_of(ScenesAnswer))
                mode = await self._read_if("/v1/mode", maker_of(ModeAnswer), wanted=self._with_mode)
                people = await self._read_if("/v1/persons", maker_of(PeopleAnswer), wanted=self._with_people)
            except TrustError:
                raise
            except (HmError, HmConnectionError) as error:
                if isinstance(error, HmError) and error.status == 401:
                    raise
                if self.connected:
                    self._connect(connected=False, error=error)
                await pause(self._caller.timing, READ_AGAIN_S * self._caller.timing.random())
                continue
            self.house, self.mode, self.people = house, mode, people
            _refill(self._devices, ((device.id, device) for device in _devices_of(house)))
            _refill(self._scenes, ((scene.id, scene) for scene in scenes.scenes))
            reported = ((one.id, replace(one.readings, as_of=one.as_of)) for one in sensors.sensors if one.as_of)
            _refill(self._sensors, reported)
            self._tell(HomeChange("home"))
            if not self.connected:
                self._connect(connected=True, error=None)
            return

    async def _read_if(self, path: str, maker: Callable[[Any], T], *, wanted: bool) -> T | None:
        if not wanted:
            return None
        try:
            return await self._caller.read(path, maker)
        except HmError as error:
            # The integration no longer sees it.
            if error.status == 404:
                return None
            raise

    def _change_state(self, event: StateEvent) -> None:
        device = self._devices.get(event.device)
        if device is None:
            return
        reachable = device.reachable if event.reachable is None else event.reachable
        self._replace(replace(device, state=event.state, reachable=reachable), event.intents)
        if event.reachable is None or device.kind != "module":
            return
        for gang in [gang for gang in self._devices.values() if gang.unit == device.id]:
            self._replace(replace(gang, reachable=reachable))

    def _change_fact(self, event: ModeEvent | PresenceEvent | MessageEvent | TouchEvent) -> None:
        if isinstance(event, ModeEvent):
            self.mode = event.state
            self._tell(HomeChange("mode"))
        elif isinstance(event, MessageEvent):
            self.message = event
            self._tell(HomeChange("message"))
        elif isinstance(event, TouchEvent):
            self.touch = event
            self._tell(HomeChange("touch", event.device))
        else:
            self.people = event.state
            self._tell(HomeChange("people"))

    def _change_readings(self, event: SensorEvent) -> None:
        self._sensors[event.device] = event.state
        self._tell(HomeChange("sensor", event.device))
        device = self._devices.get(event.device)
        # The state of a sensor or meter is its readings.
        if device is not None and device.class_ in ("sensor", "meter"):
            self._replace(replace(device, state=event.state))

    def _change_scene(self, event: SceneEvent) -> None:
        scene = self._scenes.get(event.device)
        if scene is None:
            return
        self._scenes[scene.id] = replace(scene, running=event.state.running)
        self._tell(HomeChange("scene", scene.id))

    def _replace(self, device: HomeDevice, intents: tuple[str, ...] = ()) -> None:
        self._devices[device.id] = device
        self._tell(HomeChange("device", device.id, intents))

    def _tell(self, change: HomeChange) -> None:
        for listener in list(self._listeners):
            try:
                listener(change)
            except Exception as error:  # noqa: BLE001 - a listener that fails must not keep the change from other listeners
                message = {"message": "A listener of the home failed.", "exception": error}
                asyncio.get_running_loop().call_exception_handler(message)


def _refill(model: dict[str, T], read: Iterable[tuple[str, T]]) -> None:
    model.clear()
    model.update(read)


def _devices_of(house: House) -> Iterable[HomeDevice]:
    """Every unit, module and gang of a house."""
    for unit in house.every_unit():
        yield _of_unit(unit)
        for gang in unit.gangs:
            yield _of_gang(unit, gang)


def _of_unit(unit: Unit) -> HomeDevice:
    return HomeDevice(
        id=unit.id,
        name=unit.name,
        class_=unit.class_,
        kind=unit.kind,
        unit=None,
        gang=None,
        model=unit.model,
        room=unit.room,
        floor=unit.floor,
        operations=unit.operations,
        light=unit.light,
        reachable=unit.reachable,
        state=unit.state,
    )


def _of_gang(unit: Unit, gang: Gang) -> HomeDevice:
    return HomeDevice(
        id=gang.id,
        name=gang.name,
        class_=gang.class_,
        kind="gang",
        unit=unit.id,
        gang=gang.gang,
        model=unit.model,
        room=gang.room,
        floor=gang.floor,
        operations=gang.operations,
        light=gang.light,
        reachable=unit.reachable,
        state=gang.state,
    )
