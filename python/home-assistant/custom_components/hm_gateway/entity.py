"""What all entities of a home have in common."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, override

from homeassistant.core import callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.entity import Entity, EntityDescription, ToggleEntity

from .const import DOMAIN
from .hm_gateway_client import DimmerState, HmClientError, HmError, HomeChange, HomeDevice, PowerState, SwitchState
from .hub import Hub


class HmEntity(Entity):
    """Shows what the gateway told last, and nothing while it cannot be heard."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(self, hub: Hub, subject: str, what: str | None = None) -> None:
        """``subject`` is the id of a device or scene, or the gateway's serial; ``what`` tells its entities apart."""
        self.hub = hub
        self.subject = subject
        self._attr_unique_id = subject if what is None else f"{subject}#{what}"

    @property
    def kind(self) -> tuple[str, ...]:
        """What it is; another one under the same unique id takes its place only once this one is gone."""
        return (type(self).__name__,)

    @property
    @override
    def available(self) -> bool:
        """Whether what is shown is so now."""
        return self.hub.home.connected

    @override
    async def async_added_to_hass(self) -> None:
        self.async_on_remove(self.hub.listen(self.subject, self._heard))

    @callback
    def _heard(self, change: HomeChange) -> None:
        """Shows what is so now."""
        self.async_write_ha_state()

    async def ask[T](self, command: Awaitable[T]) -> T:
        """What a command answers; raises HomeAssistantError in the gateway's words where it is refused."""
        try:
            return await command
        except HmClientError as error:
            self.hub.refused(error)
            reason = error.message if isinstance(error, HmError) else str(error)
            raise HomeAssistantError(
                reason,
                translation_domain=DOMAIN,
                translation_key="refused",
                translation_placeholders={"reason": reason},
            ) from error


class HmDeviceEntity(HmEntity):
    """Something of a unit, module or gang."""

    def __init__(self, hub: Hub, device: HomeDevice, description: EntityDescription | None = None) -> None:
        """Without a description it is what the device is for, and has its name."""
        super().__init__(hub, device.id, None if description is None else description.key)
        self._made_of = device
        self._attr_device_info = hub.devices.info(device)
        if description is None:
            self._attr_name = None
        else:
            self.entity_description = description

    @property
    @override
    def kind(self) -> tuple[str, ...]:
        return (*super().kind, self._made_of.class_, self._made_of.model or "")

    @property
    def device(self) -> HomeDevice | None:
        """The device as it is now; None once it is no longer shown."""
        return self.hub.home.devices.get(self.subject)

    async def control(self, op: str, **args: Any) -> None:
        """One operation of the specification's table (Spec 2.4); what comes of it is told by the stream."""
        body: dict[str, Any] = {"op": op, "args": args} if args else {"op": op}
        path = "/v1/devices/{id}/control"
        await self.ask(self.hub.client.call("post", path, parameters={"id": self.subject}, body=body))

    @property
    @override
    def available(self) -> bool:
        device = self.device
        return super().available and device is not None and device.reachable


class HmOnOff(HmDeviceEntity, ToggleEntity):
    """What is on or off, as the unit confirmed it, and takes ``set_power``."""

    @property
    @override
    def is_on(self) -> bool | None:
        state = None if self.device is None else self.device.state
        return state.on if isinstance(state, SwitchState | PowerState | DimmerState) else None

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        await self.control("set_power", on=True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        await self.control("set_power", on=False)


def state_of[S](device: HomeDevice | None, kind: type[S]) -> S | None:
    """The state of a device where it is of this kind; None before its unit was heard."""
    state = None if device is None else device.state
    return state if isinstance(state, kind) else None
