"""Base classes of all entities of a home."""

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
    """Shows the last state from the gateway; unavailable while the gateway is away."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(self, hub: Hub, subject: str, what: str | None = None) -> None:
        """``subject``: id of a device, scene or group, or the gateway's serial; ``what`` distinguishes its entities."""
        self.hub = hub
        self.subject = subject
        self._attr_unique_id = subject if what is None else f"{subject}#{what}"

    @property
    def kind(self) -> tuple[str, ...]:
        """Kind of the entity. An entity of another kind with the same unique id waits until this one is removed."""
        return (type(self).__name__,)

    @property
    @override
    def available(self) -> bool:
        """True if the shown state is current."""
        return self.hub.home.connected

    @override
    async def async_added_to_hass(self) -> None:
        self.async_on_remove(self.hub.listen(self.subject, self._heard))

    @callback
    def _heard(self, change: HomeChange) -> None:
        """Writes the current state."""
        self.async_write_ha_state()

    async def ask[T](self, command: Awaitable[T]) -> T:
        """Awaits a command; raises HomeAssistantError with the gateway's message if it is refused."""
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
    """An entity of a unit, module or gang."""

    def __init__(self, hub: Hub, device: HomeDevice, description: EntityDescription | None = None) -> None:
        """Without a description it is the main entity of the device, with its name."""
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
        """The current device; None once it is no longer exposed."""
        return self.hub.home.devices.get(self.subject)

    async def control(self, op: str, **args: Any) -> None:
        """Runs an operation of the specification's table (Spec 2.4). The stream brings the resulting state."""
        body: dict[str, Any] = {"op": op, "args": args} if args else {"op": op}
        path = "/v1/devices/{id}/control"
        await self.ask(self.hub.client.call("post", path, parameters={"id": self.subject}, body=body))

    @property
    @override
    def available(self) -> bool:
        device = self.device
        return super().available and device is not None and device.reachable


class HmOnOff(HmDeviceEntity, ToggleEntity):
    """An entity that is on or off, as its unit confirmed, and takes ``set_power``."""

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
    """The state of a device if it has this type; None before the unit's first answer."""
    state = None if device is None else device.state
    return state if isinstance(state, kind) else None
