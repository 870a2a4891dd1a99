"""What a person has to mend, as repairs of Home Assistant: each stands until it is so no longer."""

from __future__ import annotations

from typing import Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir

from .const import CONF_ADDRESSES, CONF_INTEGRATION, DOMAIN
from .hm_gateway_client import HmClientError, HmError, TrustError, console_link

CA_CHANGED: Final = "ca_changed"
DISABLED: Final = "integration_disabled"
KNOBS: Final = {"unlock_not_allowed": "allow_unlock", "config_not_allowed": "advanced_config"}
"""The refusals that a knob is the reason of, with the knob (Spec 2.1)."""
OPENED_BY: Final = {"allow_unlock": ("on",), "advanced_config": ("read_write",)}
"""What a knob has to be for what was refused."""


def tell(hass: HomeAssistant, entry: ConfigEntry, error: HmClientError) -> None:
    """Tells of an error that only a person can mend; of any other nothing."""
    if isinstance(error, TrustError):
        _create(hass, entry, CA_CHANGED, {"expected": error.expected, "found": error.found}, ir.IssueSeverity.ERROR)
    elif isinstance(error, HmError) and error.code == "record_disabled":
        _create(hass, entry, DISABLED, {"reason": error.message}, link=_link(entry, error))
    elif isinstance(error, HmError) and error.code in KNOBS:
        _create(hass, entry, KNOBS[error.code], {"reason": error.message}, link=_link(entry, error))


def solve(hass: HomeAssistant, entry: ConfigEntry, what: str) -> None:
    """Takes one back."""
    ir.async_delete_issue(hass, DOMAIN, _id(entry, what))


def solve_all(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Takes all of a home back."""
    for what in (CA_CHANGED, DISABLED, *KNOBS.values()):
        solve(hass, entry, what)


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
