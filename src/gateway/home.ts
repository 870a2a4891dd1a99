import { opensUnits } from '../api/unlocking.ts'
import { OWNER_ID } from '../auth/persons/person.ts'
import type { AccessParts } from './access.ts'
import { boardOf, tellerOf, webhooksOf } from './messages.ts'
import type { GatewayOptions } from './options.ts'
import type { Stores } from './stores.ts'
import { HmhcBus } from '../hmhc/unit/hmhc-bus.ts'
import { type Device, House } from '../home/house/house.ts'
import { conflictingClass, watchClasses } from '../home/house/placing.ts'
import { UnitIdentities } from '../home/house/unit-identities.ts'
import { HomeCalendars } from '../home/live/home-calendars.ts'
import { PresentMode } from '../home/live/present-mode.ts'
import { Presences } from '../home/live/presences.ts'
import { LiveHome } from '../home/live/live-home.ts'
import { readStateAfterSettings, Travels } from '../home/live/travels.ts'
import { UnitControl } from '../home/live/unit-control.ts'
import type { HomeEvent } from '../home/model/events.ts'
import { parseDeviceKey } from '../home/model/device.ts'
import { isSameUnit } from '../home/model/house.ts'
import { HomeMessages } from '../home/messages/home-messages.ts'
import type { MessageBoard } from '../home/messages/messages.ts'
import type { Webhooks } from '../home/messages/webhooks.ts'
import { Energy } from '../home/record/energy.ts'
import { EnergyCorrections, EnergyJumps } from '../home/record/energy-corrections.ts'
import { maintainHistory } from '../home/record/housekeeping.ts'
import { PastValues } from '../home/record/past-values.ts'
import { Recorder, rememberReadings } from '../home/record/recorder.ts'
import { RemovedDevices } from '../home/record/removed-devices.ts'
import { loadTariffs, Tariffs } from '../home/record/tariffs.ts'
import { Rules } from '../home/rules/rules.ts'
import { UnitSettings } from '../home/settings/unit-settings.ts'
import { contextOf, registerChangeWords } from '../intents/index.ts'
import type { RunOf, Teller } from '../home/ports/rule-store.ts'
import type { UnitBus } from '../home/ports/unit-bus.ts'
import { GroupMembers } from '../exposure/group-members.ts'
import { groupReader } from '../exposure/group-reader.ts'
import { icalReader } from '../ical/ical-reader.ts'
import { CALENDAR_BYTES_MAX } from '../home/model/calendars.ts'
import { checkedDownload } from '../lib/checked-download.ts'
import { Emitter } from '../lib/emitter.ts'
import { RateLimitedLog } from '../lib/rate-limited-log.ts'
import { lastZoneTime } from '../lib/zone-time.ts'
import type { Clock } from '../lib/clock.ts'

/** The unit bus as the home runs it. */
export type HomeBus = Pick<HmhcBus, keyof UnitBus | 'start' | 'stop' | 'counters'>

export interface HomeParts extends Disposable {
  readonly events: Emitter<HomeEvent>
  readonly house: House
  readonly identities: UnitIdentities
  readonly bus: HomeBus
  readonly live: LiveHome
  readonly mode: PresentMode
  readonly presences: Presences
  readonly calendars: HomeCalendars
  readonly control: UnitControl
  readonly settings: UnitSettings
  readonly rules: Rules
  readonly messages: MessageBoard
  readonly webhooks: Webhooks
  readonly energy: Energy
  readonly jumps: EnergyJumps
  readonly corrections: EnergyCorrections
  readonly removed: RemovedDevices
  readonly tariffs: Tariffs
  /** Opens the line to the units. Call after every listener of `events` has subscribed. */
  readonly start: () => void
}

/** Parts of access that the home needs, and the trust in the clock. */
export interface HomeGround extends Pick<
  AccessParts,
  'opening' | 'mayTell' | 'steady' | 'confirmations' | 'persons' | 'changes'
> {
  /** True while the wall clock is not trusted. */
  readonly isClockDoubted: () => boolean
}

/** The home behind its ports: structure, bus, live states, settings, rules and the recorder. Stops in reverse order. */
export function openHome(
  { log: full, ...rest }: GatewayOptions,
  stores: Stores,
  { opening, mayTell, steady, confirmations, isClockDoubted, ...people }: HomeGround,
  openBus: (options: GatewayOptions, house: House) => HomeBus = hmhcBus,
): HomeParts {
  const { clock } = rest
  using opened = new DisposableStack()
  const { log } = opened.use(new RateLimitedLog(full, clock))
  const options = { ...rest, log }
  const events = new Emitter<HomeEvent>((error) => log.error({ err: error }, 'A listener of the home failed.'))
  const house = new House({ store: stores.house, work: stores.core, events, clock })
  house.takePeople(people.persons.list())
  const { listen, ...record } = recordOf(options, stores, house)
  opened.defer(events.on(listen))
  const bus = openBus(options, house)
  const { activity, unitIdentities, lastReadings } = stores.history
  const identities = opened.adopt(
    new UnitIdentities({ house, bus, events, store: unitIdentities, activity, clock }),
    stop,
  )
  const live = opened.adopt(new LiveHome({ house, bus, events, clock }), stop)
  opened.adopt(new Travels({ house, live, bus, events, clock }), stop)
  opened.defer(() => bus.stop())
  opened.defer(watchClasses({ house, bus, events, log }))
  opened.defer(keepReadings({ live, identities, events }, lastReadings))
  opened.defer(followPeople(people, house))
  const facts = opened.use(factsOf(options, stores, { house, events, isClockDoubted }))
  const control = new UnitControl({ house, live, bus, activity, clock })
  const settings = opened.adopt(settingsOf(options, stores, { house, bus, events, live }), stop)
  const messages = opened.adopt(boardOf(options, stores, house), stop)
  const rule = ({ kind, id }: RunOf) => (kind === 'scene' ? undefined : rules[`${kind}s`].get(id))
  const teller = tellerOf({ clock, activity, house, messages, rule, mayTell })
  const units = { events, house, identities, bus, live, ...facts.parts, control, settings }
  const ground = { ...units, opening, steady, teller, isClockDoubted }
  const rules: Rules = opened.adopt(rulesOf(options, stores, ground), stop)
  units.calendars.onChange(() => rules.calendarsChanged())
  opened.defer(
    events.on((event) => {
      // Administrators confirmed the opening of the previous unit.
      if (event.kind === 'rebound') confirmations.end((subject) => opensUnits(subject, new Set([event.unit]), house))
    }),
  )
  opened.adopt(new HomeMessages({ messages, house, live, rule, events, clock }), stop)
  const webhooks = opened.adopt(webhooksOf(options, stores, { house, messages }), stop)
  identities.start()
  const running = opened.move()
  const parts = { ...units, rules, messages, webhooks, ...record }
  return {
    ...parts,
    start: () => start(options, stores, parts, running),
    [Symbol.dispose]: () => running.dispose(),
  }
}

/** Facts of the home besides devices: the mode, the presence of people and calendars. */
function factsOf(
  options: GatewayOptions,
  stores: Stores,
  { house, events, isClockDoubted }: Pick<Parts, 'house' | 'events'> & Pick<HomeGround, 'isClockDoubted'>,
): Disposable & { readonly parts: Pick<Parts, 'mode' | 'presences' | 'calendars'> } {
  const { clock, log } = options
  const { core, presence, mode: held } = stores
  using opened = new DisposableStack()
  const mode = opened.adopt(
    new PresentMode({ house, store: held, work: core, events, clock, log, isClockDoubted }),
    stop,
  )
  const { activity } = stores.history
  const presences = opened.adopt(new Presences({ house, store: presence, work: core, activity, events, clock }), stop)
  const calendars = opened.adopt(calendarsOf(options, stores, { house, events }), stop)
  const running = opened.move()
  return { parts: { mode, presences, calendars }, [Symbol.dispose]: () => running.dispose() }
}

/** Restores the last readings of units, also of a unit that returns to the house, such as a lasting alarm. */
function keepReadings(
  { live, identities, events }: Pick<Parts, 'live' | 'identities' | 'events'>,
  lastReadings: Stores['history']['lastReadings'],
): () => void {
  const remember = (): void =>
    rememberReadings(live, lastReadings, (device) => identities.since(parseDeviceKey(device).unit))
  remember()
  return events.on((event) => {
    if (event.kind === 'structure') remember()
  })
}

/** Keeps the house's list of persons, whose accounts are elsewhere. */
function followPeople({ persons, changes }: Pick<HomeGround, 'persons' | 'changes'>, house: House): () => void {
  return changes.on(({ integration }) => {
    if (integration === OWNER_ID) house.takePeople(persons.list())
  })
}

function calendarsOf(
  { clock, log, relayClock = clock, outsideNetwork }: GatewayOptions,
  { calendars: store }: Stores,
  { house, events }: Pick<Parts, 'house' | 'events'>,
): HomeCalendars {
  return new HomeCalendars({
    ...{ house, store, events, clock, log },
    reader: icalReader(relayClock),
    download: (url) => checkedDownload(new URL(url), CALENDAR_BYTES_MAX, { clock: relayClock, ...outsideNetwork }),
  })
}

function stop(part: { stop(): void }): void {
  part.stop()
}

type Parts = Omit<HomeParts, 'start' | typeof Symbol.dispose>

function start(options: GatewayOptions, stores: Stores, parts: Parts, running: DisposableStack): void {
  const { clock, log, newHome } = options
  const { settings, bus, live, mode, calendars, presences, events, rules, energy, house, messages, webhooks } = parts
  const { history } = stores
  messages.start()
  webhooks.start()
  settings.start()
  bus.start()
  // The mode starts after the rules, which notice the end of a temporary one.
  running.defer(
    runWhenStatesKnown(live, events, clock, () => {
      rules.start()
      mode.start()
      presences.start()
      calendars.start()
    }),
  )
  running.defer(maintainHistory({ upkeep: history.upkeep, energy, clock, log }))
  if (newHome.past === null || !history.file.isNew) return
  const { activity, detections, readings } = history
  const stopped = (): boolean => running.disposed
  newHome
    .past({ house, activity, detections, readings, energy, clock, stopped })
    .catch((error: unknown) =>
      log.error({ err: error }, 'The history of the demo house could not be created; it begins empty.'),
    )
}

/** Energy and its cost, and the listener that writes the history. */
function recordOf(
  { clock, log }: GatewayOptions,
  { history, tariff, core }: Stores,
  house: House,
): Pick<Parts, 'energy' | 'jumps' | 'corrections' | 'removed' | 'tariffs'> & {
  readonly listen: (event: HomeEvent) => void
} {
  const { activity, detections, readings, lastReadings } = history
  const { timeZone } = house.info
  const energy = new Energy({ store: history.energy, clock, log, timeZone, tariffs: loadTariffs(tariff) })
  const tariffs = new Tariffs({ store: tariff, work: core, energy, home: () => house.info, clock })
  const recorder = new Recorder({ activity, detections, readings, lastReadings, energy })
  const removed = new RemovedDevices({ house, places: history.devicePlaces, energy: history.energy, clock })
  const corrected = { store: history.energy, energy, activity, clock }
  return {
    energy,
    jumps: new EnergyJumps(corrected),
    corrections: new EnergyCorrections(corrected),
    removed,
    tariffs,
    listen: (event) => {
      recorder.onHomeEvent(event)
      tariffs.onHomeEvent(event)
      removed.onHomeEvent(event)
    },
  }
}

function settingsOf(
  { clock, log }: GatewayOptions,
  { history }: Stores,
  { house, bus, events, live }: Pick<Parts, 'house' | 'bus' | 'events' | 'live'>,
): UnitSettings {
  const isCurrent = (device: Device): boolean =>
    isSameUnit(device.unit, house.units.get(device.unit.id)) && conflictingClass(device, bus.units) === null
  return new UnitSettings({
    house,
    bus,
    events,
    readStateAfter: (...confirmed) => readStateAfterSettings({ bus, live, isCurrent }, ...confirmed),
    activity: history.activity,
    settings: history.settings,
    schedules: history.unitSchedules,
    clock,
    log,
    changeWords: (device, names) =>
      registerChangeWords(contextOf(device.unit.model, device.gang?.class ?? null), names),
  })
}

function rulesOf(
  { clock, random, log }: GatewayOptions,
  { core, rules, history, serial, integrations }: Stores,
  {
    house,
    live,
    mode,
    calendars,
    presences,
    control,
    events,
    identities,
    opening,
    steady,
    teller,
    isClockDoubted,
  }: Pick<Parts, 'house' | 'live' | 'mode' | 'presences' | 'calendars' | 'control' | 'events' | 'identities'> &
    Pick<AccessParts, 'opening' | 'steady'> & { readonly teller: Teller } & Pick<HomeGround, 'isClockDoubted'>,
): Rules {
  return new Rules({
    store: rules,
    work: core,
    activity: history.activity,
    control,
    events,
    clock,
    steady,
    isClockDoubted,
    random,
    log,
    states: {
      reachable: (unit) => live.reachable(unit),
      state: (key) => live.states.get(key)?.state ?? null,
      readings: (unit) => live.readings(unit)?.readings ?? null,
      mode: () => mode.now,
      presence: (person) => presences.fact(person),
    },
    past: new PastValues(history),
    hasMode: (id) => house.modes.has(id),
    modeName: (id) => house.modes.get(id)?.name ?? null,
    setMode: (id, cause) => mode.set(id, null, cause),
    scenes: (id) => house.scenes.get(id),
    classOf: (device) => house.devices.get(device)?.class,
    groups: groupReader(new GroupMembers(house, integrations), house, live),
    since: (device) => identities.since(parseDeviceKey(device).unit),
    opening,
    teller,
    home: () => house.info,
    calendars,
    seed: serial,
  })
}

/** The units over the line of the options. */
export function hmhcBus({ openPort, clock, random, log }: GatewayOptions, house: House): HomeBus {
  const zoneTime = lastZoneTime()
  return new HmhcBus({
    openPort,
    clock,
    random,
    log,
    utcOffset: (at) => zoneTime(house.info.timeZone).offsetMinutes(at),
  })
}

/** Time after which the rules start even if some units have not reported their state. */
export const SETTLE_MS = 5_000

/**
 * Runs once every unit has reported its state, or after `SETTLE_MS`, because a rule missed while the gateway was off
 * may depend on states. The returned function cancels it.
 */
export function runWhenStatesKnown(
  live: Pick<LiveHome, 'settled'>,
  events: Emitter<HomeEvent>,
  clock: Clock,
  run: () => void,
): () => void {
  const stop = (): void => {
    cancel()
    unsubscribe()
  }
  const go = (): void => {
    stop()
    run()
  }
  const cancel = clock.after(SETTLE_MS, go)
  const unsubscribe = events.on((event) => {
    // The last unit to report may be a sensor or meter, which has only readings.
    if ((event.kind === 'state' || event.kind === 'readings') && live.settled) go()
  })
  return stop
}
