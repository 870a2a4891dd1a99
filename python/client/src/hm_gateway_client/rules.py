"""Automations and schedules: what the gateway does by itself when something happens, or at certain times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .answers import Origin


@dataclass(frozen=True, slots=True)
class Trigger:
    """What sets an automation off: one of ``state``, ``reading``, ``detection``, ``time``, ``sun`` and ``scene``."""

    device: str | None = None
    """The device of a state, reading or detection."""
    state: str | None = None
    """A field of its state, as on or bri."""
    reading: str | None = None
    """A kind of measurement, as temperature."""
    detection: str | None = None
    """motion, door, smoke, water or tamper."""
    is_: Any = None
    """The value that the test needs; None where there is ``above`` or ``below``."""
    above: float | None = None
    below: float | None = None
    for_: float | None = None
    """Seconds for which the test has to hold."""
    time: str | None = None
    """Local time of the home, HH:MM."""
    sun: str | None = None
    """sunrise or sunset."""
    offset: int | None = None
    """Minutes after the sun's event; negative: before it."""
    days: tuple[int, ...] | None = None
    """ISO weekdays, 1 Monday to 7 Sunday; None: every day."""
    scene: str | None = None
    """The scene that begins to run."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What has to hold for an automation to run: the test of a state or reading, or a window of time."""

    device: str | None = None
    state: str | None = None
    """A field of its state, as on or bri."""
    reading: str | None = None
    """A kind of measurement, as temperature."""
    is_: Any = None
    """The value that the test needs; None where there is ``above`` or ``below``."""
    above: float | None = None
    below: float | None = None
    after: str | None = None
    """The begin of a window of time: HH:MM, sunrise or sunset."""
    before: str | None = None
    """The end of a window of time: HH:MM, sunrise or sunset."""
    days: tuple[int, ...] | None = None
    """ISO weekdays, 1 Monday to 7 Sunday; None: every day."""


@dataclass(frozen=True, slots=True)
class Step:
    """One operation on a device, a ``delay``, or a ``scene`` to run."""

    device: str | None = None
    op: str | None = None
    """An operation of the device, as set_power."""
    args: Mapping[str, Any] | None = None
    delay: float | None = None
    """Seconds to wait before the next step."""
    scene: str | None = None


@dataclass(frozen=True, slots=True)
class ScheduleTime:
    """When a schedule runs: a ``time`` of day, or a moment of the ``sun``."""

    time: str | None = None
    """Local time of the home, HH:MM."""
    sun: str | None = None
    """sunrise or sunset."""
    offset: int | None = None
    """Minutes after the sun's event; negative: before it."""


@dataclass(frozen=True, slots=True)
class Automation:
    """What the gateway does when something happens."""

    id: str
    name: str
    enabled: bool
    """False: it never runs by itself."""
    revision: int
    """Grows with every edit; an edit sends it as ``ifRevision``."""
    when: tuple[Trigger, ...]
    """Any of them sets it off."""
    if_: tuple[Condition, ...]
    """All of them have to hold."""
    then: tuple[Step, ...]
    """What it does, one after the other."""
    mode: str
    """single, restart or queued: what a new run does while one goes on."""
    paused: bool
    """True once the gateway cut a loop, until the next edit."""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class AutomationsAnswer:
    """The automations whose every device and scene the integration sees."""

    house: str
    automations: tuple[Automation, ...]


@dataclass(frozen=True, slots=True)
class AutomationAnswer:
    """One automation, as it is stored now."""

    house: str
    automation: Automation


@dataclass(frozen=True, slots=True)
class Schedule:
    """What the gateway does at certain times."""

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
    """What it does, one after the other."""
    next: int | None
    """The next run; None where there is none."""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class SchedulesAnswer:
    """The schedules of the gateway whose every device and scene the integration sees."""

    house: str
    schedules: tuple[Schedule, ...]


@dataclass(frozen=True, slots=True)
class ScheduleAnswer:
    """One schedule, as it is stored now."""

    house: str
    schedule: Schedule
