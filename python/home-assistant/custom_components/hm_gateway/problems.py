"""Problems that only a person can fix, as repair issues. Each is deleted once it is fixed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir

from .const import CONF_ADDRESSES, CONF_INTEGRATION, DOMAIN
from .hm_gateway_client import HmClientError, HmError, TrustError, console_link

CA_CHANGED: Final = "ca_changed"
DISABLED: Final = "integration_disabled"
UNLOCK: Final = "allow_unlock"
SETTINGS: Final = "advanced_config"
NEEDED: Final = {UNLOCK: "on", SETTINGS: "read_write"}
"""Values of the knobs that Home Assistant needs to show everything (Spec 2.1)."""
RECORD: Final = "integrations.record"
"""Place in the console to set knobs (docs/console.md#places)."""


def tell(hass: HomeAssistant, entry: ConfigEntry, error: HmClientError) -> None:
    """Creates an issue for an error that only a person can fix; ignores all others."""
    if isinstance(error, TrustError):
        _create(hass, entry, CA_CHANGED, {"expected": error.expected, "found": error.found}, ir.IssueSeverity.ERROR)
    elif isinstance(error, HmError) and error.code == "record_disabled":
        _create(hass, entry, DISABLED, {"reason": error.message}, link=_link(entry, error))
    elif isinstance(error, HmError) and error.code == "unlock_not_allowed":
        _create(hass, entry, UNLOCK, {"reason": error.message}, link=_link(entry, error))
    elif isinstance(error, HmError) and error.code == "config_not_allowed":
        _tell_settings_are_off(hass, entry)


def keep_to_knobs(hass: HomeAssistant, entry: ConfigEntry, knobs: Mapping[str, str]) -> None:
    """Deletes issues of knobs that are set now, and creates the one of the knob for settings.

    A missing allow_unlock is reported only after a refused unlock, because most homes want it off.
    """
    for knob, needed in NEEDED.items():
        if knobs.get(knob) == needed:
            solve(hass, entry, knob)
        elif knob == SETTINGS:
            _tell_settings_are_off(hass, entry)


def let_in(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Deletes the issues that kept Home Assistant out."""
    for what in (CA_CHANGED, DISABLED):
        solve(hass, entry, what)


def solve(hass: HomeAssistant, entry: ConfigEntry, what: str) -> None:
    """Deletes an issue."""
    ir.async_delete_issue(hass, DOMAIN, _id(entry, what))


def solve_all(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Deletes all issues of a home."""
    for what in (CA_CHANGED, DISABLED, *NEEDED):
        solve(hass, entry, what)


def _tell_settings_are_off(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """The issue of a knob, whether it was read or caused a refusal."""
    refusal = HmError(403, "config_not_allowed", "", app_action=RECORD)
    _create(hass, entry, SETTINGS, {}, link=_link(entry, refusal))


def _create(
    hass: HomeAssistant,
    entry: ConfigEntry,
    what: str,
    placeholders: dict[str, str],
    severity: ir.IssueSeverity = ir.IssueSeverity.WARNING,
    link: str | None = None,
) -> None:
    ir.async_create_issue(
        hass,
        DOMAIN,
        _id(entry, what),
        is_fixable=False,
        severity=severity,
        translation_key=what,
        translation_placeholders={"home": entry.title, **placeholders},
        learn_more_url=link,
    )


def _link(entry: ConfigEntry, error: HmError) -> str | None:
    return console_link(error, entry.data[CONF_ADDRESSES][0], integration=entry.data[CONF_INTEGRATION])


def _id(entry: ConfigEntry, what: str) -> str:
    return f"{entry.entry_id}_{what}"
