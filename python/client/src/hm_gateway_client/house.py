"""The home as the integration sees it: floors, rooms, units, scenes, groups (Spec 2.3)."""

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
    """switch_gang or shutter_gang. Later versions may add classes."""
    gang: int
    """Its position on the module, from 0."""
    operations: tuple[str, ...]
    """Operations that control accepts now."""
    room: str | None
    """Id of its room; its module may be in another room."""
    floor: str | None
    light: bool | None = None
    """For switches: True if it feeds a lamp; None if the administrator has not said."""
    state: State | None = field(default=None, metadata=made_by(state_in))


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit, or a module with the gangs that this integration shows."""

    id: str
    name: str
    class_: str
    """Class, for example light_dimmer. Later versions may add classes."""
    kind: str
    """unit, or module, which is controlled gang by gang."""
    model: str | None
    """Hardware model if known; it decides which intents the unit has."""
    room: str | None
    floor: str | None
    operations: tuple[str, ...]
    """Operations that control accepts now: a power_switch accepts set_temp only while it feeds a climate load."""
    light: bool | None = None
    """For switches: True if it feeds a lamp; None if the administrator has not said."""
    reachable: bool = True
    """False from the moment the unit is found not to answer until it answers or reports again."""
    last_seen: int | None = None
    """Epoch ms; None before its first answer or report."""
    gangs: tuple[Gang, ...] = ()
    state: State | None = field(default=None, metadata=made_by(state_in))
    """Last confirmed state; None before the first, and for modules."""


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
class Group:
    """A named group of devices."""

    id: str
    name: str
    members: tuple[str, ...]
    """Ids of its members that this integration shows."""


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
    groups: tuple[Group, ...] = ()
    """Named groups; empty for an older gateway."""
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
