import type { contract } from '../api/contract/index.ts'
import { Dispatcher } from '../api/dispatch.ts'
import type { HandlersOf } from '../api/handler.ts'
import { controlHandlers } from '../api/handlers/control.ts'
import { deviceHandlers } from '../api/handlers/devices.ts'
import { dryRunHandlers } from '../api/handlers/dry-runs.ts'
import { homeHandlers, type TrustAnchor } from '../api/handlers/home.ts'
import { calendarHandlers } from '../api/handlers/calendars.ts'
import { modeHandlers } from '../api/handlers/mode.ts'
import { peopleHandlers } from '../api/handlers/people.ts'
import { intentHandlers } from '../api/handlers/intents.ts'
import { messageHandlers } from '../api/handlers/messages.ts'
import { pairingHandlers } from '../api/handlers/pairing.ts'
import { recordHandlers } from '../api/handlers/records.ts'
import { ruleHandlers, ruleVisibility, runHandlers } from '../api/handlers/rules.ts'
import { groupHandlers } from '../api/handlers/groups.ts'
import { starterHandlers } from '../api/handlers/starters.ts'
import { sceneHandlers } from '../api/handlers/scenes.ts'
import { Idempotency } from '../api/idempotency.ts'
import { HouseJson } from '../api/house-json.ts'
import { CachedLists } from '../api/cached-lists.ts'
import { Unlocking } from '../api/unlocking.ts'
import { ExposedHouses } from '../exposure/exposed-houses.ts'
import { GroupMembers } from '../exposure/group-members.ts'
import { sceneRunnerOf } from '../home/rules/rules.ts'
import { UnknownSettings } from '../intents/unknown-settings.ts'
import type { Confirmations } from '../auth/agents/confirmations.ts'
import { ABOUT } from './about.ts'
import type { AccessParts } from './access.ts'
import type { HomeParts } from './home.ts'
import type { GatewayOptions } from './options.ts'
import type { Stores } from './stores.ts'
import type { ExplainSources, SettingFact } from '../home/explain/explanation.ts'
import type { Device } from '../home/house/house.ts'
import { parseDeviceKey } from '../home/model/device.ts'
import { contextOf, explainingIntents, readIntent, settingWords } from '../intents/index.ts'

export interface ApiParts {
  readonly dispatcher: Dispatcher
  readonly views: ExposedHouses
  readonly unlocking: Unlocking
  readonly unknownSettings: UnknownSettings
}

/** Parts that open before the API. */
interface Ground {
  readonly stores: Stores
  readonly home: HomeParts
  readonly access: AccessParts
  readonly ca: () => TrustAnchor
}

/** The API over the home: one pipeline for requests over HTTPS, on the stream and from agents. */
export function openApi(options: GatewayOptions, ground: Ground): ApiParts {
  const { clock, random, log, settings } = options
  const { stores, home, access } = ground
  const views = new ExposedHouses(home.house, stores.serial, new GroupMembers(home.house, stores.integrations))
  const houseJson = new HouseJson(home.live, random)
  const lists = new CachedLists()
  access.changes.on(({ integration, deleted }) => {
    if (!deleted) return
    views.forget(integration)
    houseJson.forget(integration)
    lists.forget(integration)
  })
  const { house, identities } = home
  const unlocking = new Unlocking({
    house,
    identities,
    ruleOf: home.rules.named,
    confirmations: access.confirmations,
    opening: access.opening,
  })
  const unknownSettings = new UnknownSettings(log)
  const dispatcher = new Dispatcher({
    authenticator: access.authenticator,
    failures: access.failures,
    views,
    clock,
    random,
    log,
    rules: ruleVisibility(home.rules, home.messages),
    activity: stores.history.activity,
    storage: stores.core,
    idempotency: new Idempotency({ keys: access.idempotencyKeys, storage: stores.core, log }),
    rateLimit: settings.rateLimit,
    handlers: handlersOf(options, ground, { houseJson, lists, unlocking, unknownSettings }),
  })
  return { dispatcher, views, unlocking, unknownSettings }
}

function handlersOf(
  { clock, random }: GatewayOptions,
  { stores, home, access, ca }: Ground,
  {
    houseJson,
    lists,
    unlocking,
    unknownSettings,
  }: Pick<ApiParts, 'unlocking' | 'unknownSettings'> & { houseJson: HouseJson; lists: CachedLists },
): HandlersOf<typeof contract> {
  const { house, identities, live, control, settings, rules, energy, removed } = home
  const { activity, detections, readings } = stores.history
  const { pairing, integrations, changes: accessChanges } = access
  const scenes = sceneRunnerOf(home.rules, home.bus)
  const looking = new Unlocking({
    house,
    identities,
    ruleOf: home.rules.named,
    confirmations: dryRunConfirmations(access),
    opening: access.opening,
    savesNothing: true,
  })
  return {
    ...homeHandlers({ houseJson, live, gateway: stores.serial, about: ABOUT, ca }),
    ...modeHandlers({ mode: home.mode, clock }),
    ...peopleHandlers(home),
    ...calendarHandlers({ calendars: home.calendars, clock }),
    ...deviceHandlers({ house, live, scenes }),
    ...controlHandlers({ live, control, scenes, unlocking }),
    ...intentHandlers({ settings, unknown: unknownSettings }),
    ...sceneHandlers({ house, scenes, lists, unlocking, integrations, random, accessChanges }),
    ...groupHandlers({ house, integrations, random, rules, accessChanges }),
    ...ruleHandlers({ lists, unlocking, rules, live }),
    ...dryRunHandlers({ house, scenes, rules, live, unlocking: looking }),
    ...starterHandlers({ live, rules }),
    ...runHandlers({ unlocking, rules }),
    ...messageHandlers(home),
    ...pairingHandlers({ gateway: stores.serial, pairing, clock }),
    ...recordHandlers({
      live,
      clock,
      activity,
      detections,
      readings,
      energy,
      removed,
      rules,
      explainSources: explainSources(home, stores),
      home: () => house.info,
    }),
  }
}

/** Confirmations for dry runs, which only look: they neither request nor use one. */
function dryRunConfirmations({ confirmations }: AccessParts): { useOrRequest: Confirmations['peek'] } {
  return { useOrRequest: (call) => confirmations.peek(call) }
}

/** The sources of explanations: the stores and the last confirmed states, without requests to units. */
export function explainSources(
  { house, identities, live, bus, rules, settings }: HomeParts,
  { history }: Stores,
): ExplainSources {
  const factsOf = (device: Device): readonly SettingFact[] => {
    const context = contextOf(device.unit.model, device.gang?.class ?? null)
    if (!context) return []
    const cached = settings.get(device.key)
    return explainingIntents(context).flatMap((intent) => {
      const { value, asOf } = readIntent(intent, context, cached).item
      return value === null || asOf === null ? [] : [{ what: settingWords(intent, value), asOf }]
    })
  }
  return {
    house,
    since: (device) => identities.since(parseDeviceKey(device).unit),
    state: (key) => live.states.get(key),
    reachable: (unit) => live.reachable(unit),
    linkDown: () => bus.down,
    activity: history.activity,
    detections: history.detections,
    automations: () => rules.automations.list(),
    limitedRun: (automation) => rules.engine.limitedRun(automation),
    schedules: () => rules.schedules.list(),
    movedDevices: (...args) => rules.movedDevices(...args),
    settings: factsOf,
    unitSchedules: (key) => settings.schedulesOf(key),
    timeZone: () => house.info.timeZone,
  }
}
