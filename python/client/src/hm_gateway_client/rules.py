"""Automations and schedules: rules that the gateway runs after an event or at set times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .answers import Origin
from .shapes import made_by, maker_of


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger: a state, reading, detection, ``reachable``, ``time``, ``sun``, ``calendar``, ``scene`` or ``mode``."""

    device: str | None = None
    """The device of a state, reading, detection or ``reachable``."""
    state: str | None = None
    """A field of its state, for example on or bri."""
    reading: str | None = None
    """A kind of measurement, for example temperature."""
    detection: str | None = None
    """motion, door, smoke, water or tamper."""
    is_: Any = None
    """The value that the test needs; None where there is ``above`` or ``below``."""
    above: float | None = None
    below: float | None = None
    for_: float | None = None
    """Seconds for which the test has to hold."""
    by: str | None = None
    """Only changes by touch, motion, own_schedule, own_timer or command."""
    reachable: bool | None = None
    """False: the unit stops answering. True: it answers again."""
    time: str | None = None
    """Local time of the home, HH:MM."""
    sun: str | None = None
    """sunrise, sunset, dawn or dusk."""
    offset: int | None = None
    """Minutes after the event of the sun or calendar; negative: before it."""
    random: int | None = None
    """Up to this many minutes later, chosen anew for each date."""
    days: tuple[int, ...] | None = None
    """ISO weekdays, 1 Monday to 7 Sunday; None: every day."""
    scene: str | None = None
    """The scene that begins to run."""
    mode: str | None = None
    """The mode that the home gets."""
    calendar: str | None = None
    event: str | None = None
    """begins or ends: the event of a calendar, ``offset`` minutes away."""
    title: str | None = None
    """Text in the title of the event; None: any event."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Condition of a rule: a test, a time, or ``any``, ``all`` and ``not_`` of other conditions."""

    device: str | None = None
    state: str | None = None
    """A field of its state, for example on or bri."""
    reading: str | None = None
    """A kind of measurement, for example temperature."""
    is_: Any = None
    """The value that the test needs; None where there is ``above`` or ``below``."""
    above: float | None = None
    below: float | None = None
    detection: str | None = None
    """motion, door, smoke, water or tamper, ``within`` so many seconds."""
    for_: float | None = None
    """Seconds for which the test has held."""
    within: float | None = None
    """Seconds within which the test held at some time."""
    by: str | None = None
    """The last change came by touch, motion, own_schedule, own_timer or command."""
    after: str | None = None
    """The begin of a window of time: HH:MM, sunrise or sunset."""
    before: str | None = None
    """The end of a window of time: HH:MM, sunrise or sunset."""
    days: tuple[int, ...] | None = None
    """ISO weekdays, 1 Monday to 7 Sunday; None: every day."""
    reachable: bool | None = None
    """True: the unit answers. False: it does not."""
    mode: tuple[str, ...] | None = None
    """The mode of the home is one of these."""
    sun: str | None = None
    """up or down."""
    from_: str | None = None
    """The first local date, MM-DD of every year or YYYY-MM-DD."""
    until: str | None = None
    """The last local date."""
    calendar: str | None = None
    """An event of this calendar is on."""
    title: str | None = None
    """Text in the title of the event; None: any event."""
    any: tuple[Condition, ...] | None = None
    """One of them has to hold."""
    all: tuple[Condition, ...] | None = None
    """All of them have to hold."""
    not_: Condition | None = None
    """It must not hold."""


def _else_of(step: Mapping[str, Any]) -> tuple[Step, ...] | str | None:
    otherwise = step.get("else")
    return tuple(map(maker_of(Step), otherwise)) if isinstance(otherwise, list) else otherwise


@dataclass(frozen=True, slots=True)
class Step:
    """An operation, a ``delay``, ``scene``, ``mode``, ``rule`` or message (``tell``), or steps with others inside."""

    device: str | None = None
    op: str | None = None
    """An operation of the device, for example set_power, or toggle."""
    args: Mapping[str, Any] | None = None
    delay: float | None = None
    """Seconds to wait before the next step."""
    random: float | None = None
    """Up to so many seconds more, by chance."""
    scene: str | None = None
    """The scene to run."""
    mode: str | None = None
    """The mode that the home gets for good."""
    if_: tuple[Condition, ...] | None = None
    """Decides between ``then`` and ``else_`` when the run comes to this step."""
    then: tuple[Step, ...] | None = None
    else_: tuple[Step, ...] | str | None = field(default=None, metadata=made_by(_else_of))
    """The steps of the other branch; with ``wait``: go_on or stop."""
    wait: tuple[Condition, ...] | None = None
    """It waits until all of them hold."""
    timeout: float | None = None
    """Seconds that it waits at most."""
    repeat: tuple[Step, ...] | None = None
    every: float | None = None
    """Seconds after each round."""
    until: tuple[Condition, ...] | None = None
    """It ends once all of them hold before a round."""
    times: int | None = None
    """Most rounds."""
    tell: str | None = None
    """The text of a message; the trigger fills {device}, {room}, {value} and {time}."""
    to: str | None = None
    """home, everyone or administrators."""
    urgency: str | None = None
    rule: str | None = None
    """The id of an automation or schedule to switch."""
    enabled: bool | None = None
    restore: bool | None = None
    """True: returns each device that the run changed to its earlier state."""


@dataclass(frozen=True, slots=True)
class ScheduleTime:
    """When a schedule runs: a ``time`` of day, or a moment of the ``sun``."""

    time: str | None = None
    """Local time of the home, HH:MM."""
    sun: str | None = None
    """sunrise, sunset, dawn or dusk."""
    offset: int | None = None
    """Minutes after the sun's event; negative: before it."""
    random: int | None = None
    """Up to this many minutes later, chosen anew for each date."""


@dataclass(frozen=True, slots=True)
class Automation:
    """A rule that the gateway runs after an event."""

    id: str
    name: str
    enabled: bool
    """False: it never runs by itself."""
    revision: int
    """Grows with every edit; an edit sends it as ``ifRevision``."""
    when: tuple[Trigger, ...]
    """Each of them starts it."""
    if_: tuple[Condition, ...]
    """All of them have to hold."""
    then: tuple[Step, ...]
    """Its steps, in order."""
    mode: str
    """single, restart or queued: what a new run does while one goes on."""
    paused: bool
    """True once the gateway cut a loop, until the next edit."""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class AutomationsAnswer:
    """Automations whose devices and scenes the integration all sees."""

    house: str
    automations: tuple[Automation, ...]


@dataclass(frozen=True, slots=True)
class AutomationAnswer:
    """One automation, as it is stored now."""

    house: str
    automation: Automation


@dataclass(frozen=True, slots=True)
class Schedule:
    """A rule that the gateway runs at set times."""

    id: str
    name: str
    enabled: bool
    """False: it never runs by itself."""
    revision: int
    """Grows with every edit; an edit sends it as ``ifRevision``."""
    at: ScheduleTime
    days: tuple[int, ...]
    """ISO weekdays, 1 Monday to 7 Sunday."""
    then: tuple[Step, ...]
    """Its steps, in order."""
    next: int | None
    """The next run; None where there is none."""
    origin: Origin | None = None
    if_: tuple[Condition, ...] = ()
    """All of them have to hold."""


@dataclass(frozen=True, slots=True)
class SchedulesAnswer:
    """Schedules whose devices and scenes the integration all sees."""

    house: str
    schedules: tuple[Schedule, ...]


@dataclass(frozen=True, slots=True)
class ScheduleAnswer:
    """One schedule, as it is stored now."""

    house: str
    schedule: Schedule
