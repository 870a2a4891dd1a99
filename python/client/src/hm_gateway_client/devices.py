"""Devices by class, with their operations (Spec 2.4). Each operation returns the state that the unit confirmed.

The client never retries a change. To retry one safely, give both attempts the same ``idempotency_key``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Literal, TypeVar

from .caller import Caller
from .errors import not_the_service
from .states import (
    AcState,
    CoverState,
    DimmerState,
    GateState,
    LockState,
    PowerState,
    RemoteState,
    State,
    SwitchState,
    state_of,
)

S = TypeVar("S", bound=State)
Mode = Literal["auto", "eco", "manual"]
AcMode = Literal["auto", "cool", "heat", "dry", "fan_only"]
Fan = Literal["auto", "low", "medium", "high"]


class _Device(Generic[S]):
    """One device. The caller names its class, and with it the type of its state."""

    def __init__(self, caller: Caller, id: str, device_class: str, state: type[S]) -> None:
        self.id = id
        self._caller = caller
        self._class = device_class
        self._state = state

    async def control(
        self,
        op: str,
        args: Mapping[str, Any] | None = None,
        *,
        code: str | None = None,
        idempotency_key: str | None = None,
    ) -> S:
        """Any operation that the device lists, by its name in the specification."""
        body: dict[str, Any] = {"op": op}
        if args is not None:
            body["args"] = dict(args)
        if code is not None:
            body["code"] = code
        answer = await self._caller.call(
            "post",
            "/v1/devices/{id}/control",
            parameters={"id": self.id},
            body=body,
            idempotency_key=idempotency_key,
        )
        state = state_of(self._class, answer.get("state")) if isinstance(answer, Mapping) else None
        if not isinstance(state, self._state):
            raise not_the_service(200)
        return state

    async def identify(self) -> None:
        """Lets its LEDs blink. The load does not move."""
        await self._caller.call("post", "/v1/devices/{id}/identify", parameters={"id": self.id})


class _WithPower(_Device[S]):
    async def set_power(self, on: bool, *, idempotency_key: str | None = None) -> S:
        """Switches it on or off."""
        return await self.control("set_power", {"on": on}, idempotency_key=idempotency_key)


class _WithMode(_Device[S]):
    async def set_mode(self, mode: Mode, *, idempotency_key: str | None = None) -> S:
        """Sets the mode, which decides what controls the load."""
        return await self.control("set_mode", {"mode": mode}, idempotency_key=idempotency_key)


class _WithTemp(_Device[S]):
    async def set_temp(self, temp: float, *, idempotency_key: str | None = None) -> S:
        """Sets degrees Celsius, in steps of a half."""
        return await self.control("set_temp", {"temp": temp}, idempotency_key=idempotency_key)


class _Closable(_Device[S]):
    async def open(self, *, code: str | None = None, idempotency_key: str | None = None) -> S:
        """Opens it. For a lock or gate a program may need the six-digit code that an administrator sees."""
        return await self.control("open", code=code, idempotency_key=idempotency_key)

    async def close(self, *, idempotency_key: str | None = None) -> S:
        """Closes it, or locks."""
        return await self.control("close", idempotency_key=idempotency_key)


class _Movable(_Closable[S]):
    async def stop(self, *, idempotency_key: str | None = None) -> S:
        """Stops it where it is."""
        return await self.control("stop", idempotency_key=idempotency_key)


class Switch(_WithPower[SwitchState], _WithMode[SwitchState]):
    """A light_switch, sense_switch or switch_gang."""

    def __init__(self, caller: Caller, id: str) -> None:
        super().__init__(caller, id, "light_switch", SwitchState)


class Dimmer(_WithPower[DimmerState], _WithMode[DimmerState]):
    """A light_dimmer."""

    def __init__(self, caller: Caller, id: str) -> None:
        super().__init__(caller, id, "light_dimmer", DimmerState)

    async def set_brightness(self, bri: int, *, idempotency_key: str | None = None) -> DimmerState:
        """Sets whole percent; 0 switches off."""
        return await self.control("set_brightness", {"bri": bri}, idempotency_key=idempotency_key)


class Cover(_Movable[CoverState], _WithMode[CoverState]):
    """A shutter, curtain or shutter_gang."""

    def __init__(self, caller: Caller, id: str) -> None:
        super().__init__(caller, id, "shutter", CoverState)

    async def set_position(self, pos: int, *, idempotency_key: str | None = None) -> CoverState:
        """Moves it to whole percent; 100 is open."""
        return await self.control("set_position", {"pos": pos}, idempotency_key=idempotency_key)


class PowerSwitch(_WithPower[PowerState], _WithMode[PowerState], _WithTemp[PowerState]):
    """A power_switch; it takes ``set_temp`` only while it feeds a climate load."""

    def __init__(self, caller: Caller, id: str) -> None:
        super().__init__(caller, id, "power_switch", PowerState)


class AirConditioner(_WithPower[AcState], _WithTemp[AcState]):
    """An ac."""

    def __init__(self, caller: Caller, id: str) -> None:
        super().__init__(caller, id, "ac", AcState)

    async def set_ac_mode(self, mode: AcMode, *, idempotency_key: str | None = None) -> AcState:
        """Sets the mode of the air conditioner."""
        return await self.control("set_ac_mode", {"mode": mode}, idempotency_key=idempotency_key)

    async def set_fan(self, fan: Fan, *, idempotency_key: str | None = None) -> AcState:
        """Sets the speed of its fan."""
        return await self.control("set_fan", {"fan": fan}, idempotency_key=idempotency_key)


class Lock(_Closable[LockState]):
    """A lock: ``open`` unlocks, ``close`` locks."""

    def __init__(self, caller: Caller, id: str) -> None:
        super().__init__(caller, id, "lock", LockState)


class Gate(_Movable[GateState]):
    """A gate."""

    def __init__(self, caller: Caller, id: str) -> None:
        super().__init__(caller, id, "gate", GateState)


class Remote(_Device[RemoteState]):
    """An ir_remote."""

    def __init__(self, caller: Caller, id: str) -> None:
        super().__init__(caller, id, "ir_remote", RemoteState)

    async def key(self, key: str, *, idempotency_key: str | None = None) -> RemoteState:
        """Sends a key, for example power, volume_up or channel_down."""
        return await self.control("key", {"key": key}, idempotency_key=idempotency_key)
