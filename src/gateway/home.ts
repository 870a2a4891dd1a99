import type { GatewayOptions } from './options.ts'
import type { Stores } from './stores.ts'
import { HmhcBus } from '../hmhc/unit/hmhc-bus.ts'
import { registerMap } from '../hmhc/registers/index.ts'
import { makeDemoHistory } from '../home/demo-history/demo-history.ts'
import { House } from '../home/house/house.ts'
import { LiveHome } from '../home/live/live-home.ts'
import { UnitControl } from '../home/live/unit-control.ts'
import type { HomeEvent } from '../home/home-event.ts'
import { Energy } from '../home/record/energy.ts'
import { keepHistory } from '../home/record/housekeeping.ts'
import { Recorder } from '../home/record/recorder.ts'
import { Tariffs, loadTariffs } from '../home/record/tariffs.ts'
import { Rules } from '../home/rules/rules.ts'
import { UnitSettings } from '../home/settings/unit-settings.ts'
import { contextOf } from '../intents/index.ts'
import { registerChangeWords } from '../intents/words.ts'
import type { HistoryDb } from '../db/history/history-db.ts'
import type { Readings } from '../home/model/state.ts'
import type { UnitBus } from '../home/ports/unit-bus.ts'
import type { Clock } from '../lib/clock.ts'
import { Emitter } from '../lib/emitter.ts'
import { ZoneTime } from '../lib/zone-time.ts'

/** The unit bus as the home runs it. */
export type HomeBus = Pick<HmhcBus, keyof UnitBus | 'start' | 'stop' | 'counters'>

export interface HomeParts {
  readonly events: Emitter<HomeEvent>
  readonly house: House
  readonly bus: HomeBus
  readonly live: LiveHome
  readonly control: UnitControl
  readonly settings: UnitSettings
  readonly rules: Rules
  readonly energy: Energy
  readonly tariffs: Tariffs
  readonly start: () => void
  readonly stop: () => void
}

/** The home behind its ports: structure, bus, live states, settings, rules and the recorder of it all. */
export function composeHome(
  options: GatewayOptions,
  stores: Stores,
  openBus: (options: GatewayOptions, house: House) => HomeBus = hmhcBus,
): HomeParts {
  const { clock, random, log } = options
  const { core, history } = stores
  const { activity } = history
  const events = new Emitter<HomeEvent>((error) => log.error({ err: error }, 'A listener of the home failed.'))
  const house = new House({ store: stores.house, work: core, events, clock })
  const bus = openBus(options, house)
  const live = new LiveHome({ house, bus, events, clock })
  rememberReadings(live, history)
  const control = new UnitControl({ house, live, bus, activity, clock })
  const settings = new UnitSettings({
    house,
    bus,
    activity,
    events,
    clock,
    log,
    settings: history.settings,
    schedules: history.unitSchedules,
    changeWords: (device, names) =>
      registerChangeWords(contextOf(device.unit.model, device.gang?.class ?? null), names),
  })
  const rules = new Rules({
    store: stores.rules,
    work: core,
    activity,
    control,
    events,
    clock,
    random,
    log,
    states: {
      state: (key) => live.states.get(key)?.state ?? null,
      readings: (unit) => live.readings(unit)?.readings ?? null,
    },
    scenes: (id) => house.scenes.get(id),
    home: () => house.info,
  })
  const energy = new Energy({
    store: history.energy,
    clock,
    log,
    timeZone: house.info.timeZone,
    tariffs: loadTariffs(stores.tariff),
  })
  const tariffs = new Tariffs({ store: stores.tariff, work: core, energy, home: () => house.info, clock })
  const recorder = new Recorder({ activity, detections: history.detections, readings: history.readings, energy })
  const stopRecording = events.on((each) => {
    recorder.onHomeEvent(each)
    tariffs.onHomeEvent(each)
  })
  let stopUpkeep = (): void => {}
  let stopWaiting = (): void => {}
  let stopped = false
  return {
    events,
    house,
    bus,
    live,
    control,
    settings,
    rules,
    energy,
    tariffs,
    start: () => {
      settings.start()
      bus.start()
      stopWaiting = onceSettled(live, events, clock, () => rules.start())
      stopUpkeep = keepHistory({ upkeep: history.upkeep, energy, clock, log })
      if (options.pastSeed === undefined || !history.isNew) return
      makeDemoHistory(
        {
          house,
          activity,
          detections: history.detections,
          readings: history.readings,
          energy,
          clock,
          stopped: () => stopped,
        },
        options.pastSeed,
      ).catch((error: unknown) =>
        log.error({ err: error }, 'The past of the demo house could not be made; it begins empty.'),
      )
    },
    stop: () => {
      stopped = true
      stopUpkeep()
      stopWaiting()
      rules.stop()
      settings.stop()
      bus.stop()
      live.stop()
      stopRecording()
    },
  }
}

function hmhcBus({ openPort, clock, random, log }: GatewayOptions, house: House): HomeBus {
  return new HmhcBus({
    openPort,
    clock,
    random,
    log,
    registers: registerMap,
    utcOffset: (at) => new ZoneTime(house.info.timeZone).offsetMinutes(at),
  })
}

/** Units that do not answer do not hold up the rules for longer than this. */
const SETTLE_MS = 5_000

/** Rules that are late ask for states: they begin when the units have told theirs, or have had the time to. */
function onceSettled(live: LiveHome, events: Emitter<HomeEvent>, clock: Clock, run: () => void): () => void {
  const stop = (): void => {
    cancel()
    unsubscribe()
  }
  const go = (): void => {
    stop()
    run()
  }
  const cancel = clock.after(SETTLE_MS, go)
  const unsubscribe = events.on((each) => {
    if (each.kind === 'state' && live.settled) go()
  })
  return stop
}

/** What the sensors said last before a restart, until they speak again. */
function rememberReadings(live: LiveHome, history: HistoryDb): void {
  for (const [unit, latest] of Map.groupBy(history.readings.latest(), (each) => each.unit)) {
    const flags: readonly string[] = ['motion', 'door']
    const readings = Object.fromEntries(
      latest.map(({ kind, value }) => [kind, flags.includes(kind) ? value === 1 : value]),
    ) as Readings
    live.remember(unit, readings, Math.max(...latest.map(({ at }) => at)))
  }
}
