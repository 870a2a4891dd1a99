import { accessHandlers } from '../api/admin/access.ts'
import { agentAdminHandlers, type AgentParts } from '../api/admin/agents.ts'
import { AdminDispatcher } from '../api/admin/dispatch.ts'
import { AdminEvents } from '../api/admin/events.ts'
import { type GatewayParts, gatewayAdminHandlers } from '../api/admin/gateway.ts'
import { houseAdminHandlers } from '../api/admin/house.ts'
import { intentAdminHandlers } from '../api/admin/intents.ts'
import { recordAdminHandlers } from '../api/admin/records.ts'
import { ruleAdminHandlers } from '../api/admin/rules.ts'
import { Dispatcher } from '../api/dispatch.ts'
import { deviceHandlers } from '../api/handlers/devices.ts'
import { homeHandlers } from '../api/handlers/home.ts'
import { intentHandlers } from '../api/handlers/intents.ts'
import { pairingHandlers } from '../api/handlers/pairing.ts'
import { recordHandlers } from '../api/handlers/records.ts'
import { ruleHandlers, ruleSight } from '../api/handlers/rules.ts'
import { sceneHandlers } from '../api/handlers/scenes.ts'
import { HouseJson } from '../api/house-json.ts'
import { Unlocking } from '../api/unlocking.ts'
import { ABOUT } from './about.ts'
import { type AccessParts, composeAccess } from './access.ts'
import { explainSources } from './explain.ts'
import type { HomeParts } from './home.ts'
import type { Stores } from './stores.ts'
import { ExposedHouses } from '../exposure/exposed-houses.ts'
import type { GatewayOptions } from './options.ts'
import { writeHistoryFile } from './history-file.ts'
import type { SceneRunner } from '../home/ports/scene-runner.ts'
import { UnknownSettings } from '../intents/unknown-settings.ts'
import { fail, ok } from '../lib/result.ts'

export interface ApiParts extends Omit<AccessParts, 'changed' | 'lastUsed'> {
  readonly views: ExposedHouses
  readonly dispatcher: Dispatcher
  readonly adminEvents: AdminEvents
  /** Made last, once the gateway's own parts exist. */
  readonly admin: (gateway: GatewayParts) => AdminDispatcher
}

/** The service and its administration over the home. `accessChanged` hears of every change of an integration or credential. */
export function composeApi(
  options: GatewayOptions,
  stores: Stores,
  home: HomeParts,
  ca: GatewayParts['ca'],
  accessChanged: (integration: string) => void,
): ApiParts {
  const { clock, random, log } = options
  const { serial } = stores
  const { house, live, control } = home
  const views = new ExposedHouses(house, serial)
  const houseJson = new HouseJson(live, random)
  const access = composeAccess(options, stores, (integration) => {
    if (!stores.integrations.get(integration)) {
      views.forget(integration)
      houseJson.forget(integration)
    }
    accessChanged(integration)
  })
  const { authenticator, integrations, credentials, lastUsed, pairing, confirmations, changed } = access
  const agents: AgentParts = {
    pairing,
    confirmations,
    integrations,
    credentials,
    lastUsed,
    fingerprint: () => ca().fingerprint,
  }
  const unlocking = new Unlocking({ house, confirmations })
  const scenes = sceneRunnerOf(home)
  const unknown = new UnknownSettings(log)
  const dispatcher = new Dispatcher({
    authenticator,
    views,
    clock,
    random,
    log,
    rules: ruleSight(home.rules),
    activity: stores.history.activity,
    rateLimit: options.settings.rateLimit,
    handlers: {
      ...homeHandlers({ houseJson, gateway: serial, about: ABOUT, ca }),
      ...deviceHandlers({ house, live, control, scenes, unlocking }),
      ...intentHandlers({ house, settings: home.settings, unknown }),
      ...sceneHandlers({ house, scenes, unlocking, integrations, random, changed }),
      ...ruleHandlers({ unlocking, rules: home.rules }),
      ...pairingHandlers({ gateway: serial, pairing, clock }),
      ...recordHandlers({
        live,
        clock,
        activity: stores.history.activity,
        detections: stores.history.detections,
        energy: home.energy,
        rules: home.rules,
        explainSources: explainSources(home, stores),
        home: () => house.info,
      }),
    },
  })
  return {
    ...access,
    views,
    dispatcher,
    adminEvents: new AdminEvents({ ...agents, events: access.accessNews }),
    admin: (gateway) =>
      new AdminDispatcher(
        {
          ...accessHandlers({
            integrations,
            credentials,
            lastUsed,
            house,
            unlocking,
            rules: home.rules,
            fingerprint: () => ca().fingerprint,
          }),
          ...agentAdminHandlers(agents),
          ...houseAdminHandlers({
            house,
            live,
            bus: home.bus,
            rules: home.rules,
            defaultZone: options.defaultZone,
          }),
          ...intentAdminHandlers({ house, settings: home.settings, unknown }),
          ...ruleAdminHandlers({ house, rules: home.rules, integrations, credentials }),
          ...recordAdminHandlers({
            tariffs: home.tariffs,
            exportHistory: (table, from, to, file) => writeHistoryFile(stores.history, table, from, to, file),
          }),
          ...gatewayAdminHandlers(gateway),
        },
        log,
        random,
      ),
  }
}

/** A scene is refused at once while the adapter is known to carry nothing. */
function sceneRunnerOf({ rules, bus }: HomeParts): SceneRunner {
  return {
    run: (scene, cause, priority) => {
      if (bus.down !== null) return fail('unavailable')
      const run = rules.runScene(scene, cause, priority)
      return run ? ok({ runId: run.runId }) : fail('not_there')
    },
    running: (scene) => rules.isSceneRunning(scene),
  }
}
