"""The calendars of the home that the integration shows."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, tzinfo
from typing import override

from homeassistant.components.calendar import CalendarEntity, CalendarEvent
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.util import dt as dt_util

from . import hm_gateway_client
from .entity import HmEntity
from .hub import HmConfigEntry, Hub

PARALLEL_UPDATES = 0


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up the calendars."""
    hub = entry.runtime_data
    zone = await dt_util.async_get_time_zone(hub.integration.time_zone) or dt_util.get_default_time_zone()

    def calendars(hub: Hub) -> Iterable[HmEntity]:
        for calendar in hub.calendars:
            yield HomeCalendar(hub, calendar.id, zone)

    hub.shown.add_platform(Platform.CALENDAR, add, of_home=calendars)


class HomeCalendar(HmEntity, CalendarEntity):
    """A calendar of the home: on during its events."""

    def __init__(self, hub: Hub, id: str, zone: tzinfo) -> None:
        """Makes it an entity of the gateway. ``zone``: the time zone of the home."""
        super().__init__(hub, hub.gateway, f"calendar_{id}")
        self._id = id
        self._zone = zone
        self._attr_device_info = hub.devices.gateway_info()

    @property
    def _calendar(self) -> hm_gateway_client.HomeCalendar | None:
        return next((one for one in self.hub.calendars if one.id == self._id), None)

    @property
    @override
    def name(self) -> str | None:
        return None if self._calendar is None else self._calendar.name

    @property
    @override
    def available(self) -> bool:
        return super().available and self._calendar is not None

    @property
    @override
    def event(self) -> CalendarEvent | None:
        """The event that is on, or the next one."""
        now = dt_util.utcnow().timestamp() * 1000
        events = () if self._calendar is None else self._calendar.events
        return next((self._of(event) for event in events if event.ends > now), None)

    @override
    async def async_get_events(
        self, hass: HomeAssistant, start_date: datetime, end_date: datetime
    ) -> list[CalendarEvent]:
        first, last = (max(0, int(date.timestamp() * 1000)) for date in (start_date, end_date))
        answer = await self.ask(self.hub.client.calendars(from_=first, to=last))
        return [
            self._of(event) for calendar in answer.calendars if calendar.id == self._id for event in calendar.events
        ]

    def _of(self, event: hm_gateway_client.CalendarEvent) -> CalendarEvent:
        begins, ends = (datetime.fromtimestamp(at / 1000, self._zone) for at in (event.begins, event.ends))
        if event.whole_days:
            return CalendarEvent(begins.date(), ends.date(), event.title)
        return CalendarEvent(begins, ends, event.title)
