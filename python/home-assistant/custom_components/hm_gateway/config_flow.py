"""Adds a home to Home Assistant by a connection code, after discovery or by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, override

import probatio as vol
from homeassistant.config_entries import (
    SOURCE_REAUTH,
    SOURCE_RECONFIGURE,
    ConfigEntry,
    ConfigEntryState,
    ConfigFlow,
    ConfigFlowResult,
    OptionsFlow,
)
from homeassistant.const import CONF_TOKEN
from homeassistant.core import callback
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo

from . import moving, problems
from .const import (
    CONF_ADDRESSES,
    CONF_CA,
    CONF_CODE,
    CONF_FINGERPRINT,
    CONF_GATEWAY,
    CONF_INTEGRATION,
    DOMAIN,
    OPTION_LIGHTS,
)
from .hm_gateway_client import (
    AiohttpTransport,
    Client,
    Connection,
    HmClientError,
    HmError,
    IntegrationAnswer,
    TrustError,
    connect_to,
    decode_connection_code,
    is_trusted,
)
from .hub import HmConfigEntry
from .loads import load_of

ADDRESSES_MAX: Final = 4
FORM: Final = vol.Schema(
    {vol.Required(CONF_CODE): TextSelector(TextSelectorConfig(type=TextSelectorType.PASSWORD, autocomplete="off"))}
)


class HmConfigFlow(ConfigFlow, domain=DOMAIN):
    """One field: the connection code has the addresses of the gateway, the fingerprint of its CA, and a token."""

    VERSION = 1
    _move: tuple[ConfigEntry, dict[str, Any]]
    """The home that may move, and its new data."""

    @staticmethod
    @callback
    @override
    def async_get_options_flow(config_entry: ConfigEntry) -> HmOptionsFlow:
        return HmOptionsFlow()

    @override
    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        return await self._ask("user", user_input)

    @override
    async def async_step_zeroconf(self, discovery_info: ZeroconfServiceInfo) -> ConfigFlowResult:
        gateway = str(discovery_info.properties.get("gw", ""))
        if not gateway:
            return self.async_abort(reason="not_a_gateway")
        known = await self.async_set_unique_id(gateway)
        if known is not None:
            self._abort_if_unique_id_configured(updates=await self._with_address(known, discovery_info))
        self.context["title_placeholders"] = {"name": f"hm-{gateway}"}
        return await self.async_step_code()

    async def _with_address(self, known: ConfigEntry, found: ZeroconfServiceInfo) -> dict[str, Any] | None:
        """The addresses with the announced one; None unless it is new and presents the pinned CA.

        Anybody on the network can announce any serial. An unproved address would push out one that works.
        """
        host = f"[{found.host}]" if ":" in found.host else found.host
        address = f"https://{host}:{found.port}"
        if address in known.data[CONF_ADDRESSES]:
            return None
        if not await is_trusted(async_get_clientsession(self.hass), address, known.data[CONF_CA]):
            return None
        # Read again: another announcement may have changed the addresses meanwhile.
        return {CONF_ADDRESSES: _joined(known.data[CONF_ADDRESSES], address)}

    async def async_step_code(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Asks for the code of a discovered gateway."""
        return await self._ask("code", user_input)

    async def async_step_reauth(self, entry_data: Mapping[str, Any]) -> ConfigFlowResult:
        """Begins after the credential has ended or the CA has changed."""
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_confirm(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Asks for a new code of the same home."""
        return await self._ask("reauth_confirm", user_input)

    async def async_step_reconfigure(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Asks for a code with the new address."""
        return await self._ask("reconfigure", user_input)

    async def _ask(self, step: str, user_input: dict[str, Any] | None) -> ConfigFlowResult:
        """The form; it comes again with an error if the code fails."""
        errors: dict[str, str] = {}
        reason = ""
        if user_input is not None:
            connection = decode_connection_code(user_input[CONF_CODE])
            if connection is None:
                errors[CONF_CODE] = "no_code"
            else:
                try:
                    return await self._enter(connection)
                except HmClientError as error:
                    errors["base"], reason = _error_key(error), str(error)
        return self.async_show_form(
            step_id=step, data_schema=FORM, errors=errors, description_placeholders={"reason": reason}
        )

    async def _enter(self, connection: Connection) -> ConfigFlowResult:
        """Connects by the code; raises HmClientError."""
        client = await connect_to(
            async_get_clientsession(self.hass),
            connection.addresses,
            connection.token,
            fingerprint=connection.fingerprint,
        )
        answer = await client.integration()
        data = {
            CONF_ADDRESSES: _first(_in_use(client), connection.addresses),
            CONF_TOKEN: connection.token,
            CONF_FINGERPRINT: connection.fingerprint,
            CONF_CA: client.ca.pem if client.ca is not None else None,
            CONF_GATEWAY: answer.gateway,
            CONF_INTEGRATION: answer.integration.id,
        }
        if self.source in (SOURCE_REAUTH, SOURCE_RECONFIGURE):
            return await self._renew(answer, data)
        if self.unique_id not in (None, answer.gateway):
            return self.async_abort(reason="wrong_gateway")
        await self.async_set_unique_id(answer.gateway, raise_on_progress=False)
        known = self.hass.config_entries.async_entry_for_domain_unique_id(DOMAIN, answer.gateway)
        if known is not None and known.data[CONF_INTEGRATION] != answer.integration.id:
            return self._offer_move(known, answer, data)
        self._abort_if_unique_id_configured()
        return self.async_create_entry(title=answer.house, data=data)

    async def _renew(self, answer: IntegrationAnswer, data: dict[str, Any]) -> ConfigFlowResult:
        """Takes another code of the same home. A code of another integration asks before the home moves there."""
        is_reauth = self.source == SOURCE_REAUTH
        entry = self._get_reauth_entry() if is_reauth else self._get_reconfigure_entry()
        await self.async_set_unique_id(answer.gateway, raise_on_progress=False)
        self._abort_if_unique_id_mismatch(reason="wrong_gateway")
        if entry.data[CONF_INTEGRATION] != answer.integration.id:
            return self._offer_move(entry, answer, data)
        problems.let_in(self.hass, entry)
        return self.async_update_reload_and_abort(entry, data=data)

    def _offer_move(self, entry: ConfigEntry, answer: IntegrationAnswer, data: dict[str, Any]) -> ConfigFlowResult:
        """Asks whether the home moves to the integration of the code."""
        self._move = (entry, data)
        return self.async_show_form(
            step_id="move",
            data_schema=vol.Schema({}),
            description_placeholders={"home": entry.title, "integration": answer.integration.name},
        )

    async def async_step_move(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Moves the home: its devices and entities keep their names, areas and history."""
        entry, data = self._move
        await moving.move(self.hass, entry, str(data[CONF_INTEGRATION]))
        problems.let_in(self.hass, entry)
        return self.async_update_reload_and_abort(entry, data=data, reason="moved")


class HmOptionsFlow(OptionsFlow):
    """Switches that feed lamps, if the home does not say so itself."""

    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Asks for the switches, then reloads the home."""
        entry: HmConfigEntry = self.config_entry
        if user_input is not None:
            self.hass.config_entries.async_schedule_reload(entry.entry_id)
            return self.async_create_entry(data=user_input)
        if entry.state is not ConfigEntryState.LOADED:
            return self.async_abort(reason="not_connected")
        devices = entry.runtime_data.home.devices.values()
        options = [
            SelectOptionDict(value=device.id, label=device.name)
            for device in devices
            if load_of(device) == "plain" and device.light is None
        ]
        chosen = [id for id in entry.options.get(OPTION_LIGHTS, ()) if id in {option["value"] for option in options}]
        selector = SelectSelector(SelectSelectorConfig(options=options, multiple=True))
        schema = vol.Schema({vol.Optional(OPTION_LIGHTS, default=chosen): selector})
        return self.async_show_form(step_id="init", data_schema=schema)


def _joined(known: Sequence[str], address: str) -> list[str]:
    """The addresses with a new one. If the first address is a name, it responded earlier and stays first."""
    named = [one for one in known[:1] if ".local" in one]
    others = [one for one in known if one not in (*named, address)]
    return [*named, address, *others][:ADDRESSES_MAX]


def _in_use(client: Client) -> str | None:
    return client.transport.address if isinstance(client.transport, AiohttpTransport) else None


def _first(address: str | None, addresses: Sequence[str]) -> list[str]:
    """The addresses, with the responding one first: a start must not wait for a dead address."""
    return sorted(addresses, key=lambda one: one.rstrip("/") != address)


def _error_key(error: HmClientError) -> str:
    if isinstance(error, TrustError):
        return "wrong_ca"
    if isinstance(error, HmError):
        return "invalid_auth" if error.status == 401 else "refused"
    return "cannot_connect"
