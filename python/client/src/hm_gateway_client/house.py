"""The home as the integration sees it: floors, rooms, units, scenes (Spec 2.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .shapes import made_by
from .states import State, state_in


@dataclass(frozen=True, slots=True)
class Gang:
    """One gang of a module."""

    id: str
    name: str
    class_: str
    """switch_gang or shutter_gang; classes grow."""
    gang: int
    """Its position on the module, from 0."""
    operations: tuple[str, ...]
    """What control accepts for it now."""
    room: str | None
    """The id of its room, which may differ from that of its module."""
    floor: str | None
    light: bool | None = None
    """Only of a switch: whether it feeds a lamp; None where the administrator has not said."""
    state: State | None = field(default=None, metadata=made_by(state_in))


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit, or a module with the gangs that this integration shows."""

    id: str
    name: str
    class_: str
    """What it is and can do, as light_dimmer; classes grow."""
    kind: str
    """unit, or module, which is controlled gang by gang."""
    model: str | None
    """The hardware model where it is known; decides which intents it has."""
    room: str | None
    floor: str | None
    operations: tuple[str, ...]
    """What control accepts for it now: a power_switch takes set_temp only while it feeds a climate load."""
    light: bool | None = None
    """Only of a switch: whether it feeds a lamp; None where the administrator has not said."""
    reachable: bool = True
    """False from the moment the unit is found not to answer until it answers or reports again."""
    last_seen: int | None = None
    """Epoch ms; None before it was heard."""
    gangs: tuple[Gang, ...] = ()
    state: State | None = field(default=None, metadata=made_by(state_in))
    """What the unit confirmed last; None before it was heard, and of a module."""


@dataclass(frozen=True, slots=True)
class Room:
    """A room with its units."""

    id: str
    name: str
    floor: str | None
    """The id of its floor."""
    units: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Floor:
    """A floor with its rooms."""

    id: str
    name: str
    rooms: tuple[Room, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene by its name."""

    id: str
    name: str
    room: str | None
    """The id of the room where it is shown."""
    floor: str | None


@dataclass(frozen=True, slots=True)
class House:
    """The home as this integration sees it."""

    house: str
    """Its name."""
    gateway: str
    """The serial of its gateway."""
    floors: tuple[Floor, ...]
    rooms: tuple[Room, ...]
    """Rooms on no floor."""
    units: tuple[Unit, ...]
    """Units in no room."""
    scenes: tuple[Scene, ...]
    time_zone: str = ""
    """IANA, like Europe/Berlin."""
    currency: str = ""
    """ISO 4217."""

    def every_room(self) -> Iterator[Room]:
        """All rooms, on floors and on none."""
        for floor in self.floors:
            yield from floor.rooms
        yield from self.rooms

    def every_unit(self) -> Iterator[Unit]:
        """All units and modules, in rooms and in none."""
        for room in self.every_room():
            yield from room.units
        yield from self.units
