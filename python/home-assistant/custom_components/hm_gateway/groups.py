"""Named groups of the home: one entity for each, on the platform of its members."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, override

from homeassistant.const import Platform
from homeassistant.helpers.entity import ToggleEntity

from .entity import HmEntity
from .hm_gateway_client import DimmerState, HomeDevice, PowerState, SwitchState
from .hub import Hub

COVERS: Final = ("shutter", "shutter_gang", "curtain")


def members_of(hub: Hub, id: str) -> tuple[HomeDevice, ...]:
    """The devices of a group; empty once the group is deleted."""
    group = hub.home.groups.get(id)
    devices = hub.home.devices
    return () if group is None else tuple(devices[member] for member in group.members if member in devices)


def platform_of(hub: Hub, id: str) -> Platform | None:
    """A light if all members are lamps, a cover if all move, else a switch of those that switch; None without any."""
    members = members_of(hub, id)
    if members and all(_is_lamp(hub, device) for device in members):
        return Platform.LIGHT
    if members and all(device.class_ in COVERS for device in members):
        return Platform.COVER
    return Platform.SWITCH if any("set_power" in device.operations for device in members) else None


def groups_on(hub: Hub, platform: Platform) -> Iterator[str]:
    """Ids of the groups that this platform shows."""
    return (id for id in hub.home.groups if platform_of(hub, id) == platform)


def _is_lamp(hub: Hub, device: HomeDevice) -> bool:
    return "set_power" in device.operations and (
        device.class_ in ("light_dimmer", "light_switch") or hub.is_light(device)
    )


class HmGroup(HmEntity):
    """A named group, which the gateway controls in one call."""

    def __init__(self, hub: Hub, id: str) -> None:
        """Makes it an entity of the gateway, because a group has no unit."""
        super().__init__(hub, id)
        self._last_name = hub.home.groups[id].name
        self._attr_device_info = hub.devices.gateway_info()
        self._made_of = members_of(hub, id)

    @property
    @override
    def kind(self) -> tuple[str, ...]:
        """With its members, because it listens to those with which it was made."""
        return (*super().kind, *(f"{device.id} {device.class_}" for device in self._made_of))

    @property
    @override
    def name(self) -> str:
        """Current name; a deleted group keeps its last one."""
        group = self.hub.home.groups.get(self.subject)
        if group is not None:
            self._last_name = group.name
        return self._last_name

    @property
    def members(self) -> tuple[HomeDevice, ...]:
        """Its present devices."""
        return members_of(self.hub, self.subject)

    @property
    @override
    def available(self) -> bool:
        return super().available and any(device.reachable for device in self.members)

    @property
    @override
    def extra_state_attributes(self) -> dict[str, Any]:
        """The names of its members."""
        return {"members": [device.name for device in self.members]}

    @override
    async def async_added_to_hass(self) -> None:
        await super().async_added_to_hass()
        for device in self._made_of:
            self.async_on_remove(self.hub.listen(device.id, self._heard))

    async def control(self, op: str, **args: Any) -> None:
        """Runs an operation for the members that take it. The stream brings the resulting states."""
        body: dict[str, Any] = {"group": self.subject, "op": op, **({"args": args} if args else {})}
        answer = await self.ask(self.hub.client.control(body))
        failed = [result.error for result in answer.results if result.error is not None]
        if failed and len(failed) == len(answer.results):
            await self.ask(_refused(failed[0]))


async def _refused(error: Exception) -> None:
    raise error


class HmGroupOnOff(HmGroup, ToggleEntity):
    """A group that is on while one of its members is on."""

    @property
    @override
    def is_on(self) -> bool | None:
        states = [device.state for device in self.members]
        known = [state.on for state in states if isinstance(state, SwitchState | PowerState | DimmerState)]
        return any(known) if known else None

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        await self.control("set_power", on=True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        await self.control("set_power", on=False)
