import { Violation } from '../world/journal.ts'
import type { World } from '../world/world.ts'
import type { RunCheck } from './run-check.ts'
import { stateText } from '../world/physical-units.ts'

/** Time of a report from the adapter to the gateway at most. */
const REPORT_MS = 1_000

/** At rest the gateway's cache equals the state of each unit. */
export function cached(world: World): RunCheck {
  return {
    atRest: () => {
      const { house, live, bus } = world.life.home
      if (bus.down !== null) throw new Violation('cached', `The line is down without a fault: ${bus.down}.`)
      for (const { key, unit, gang, class: deviceClass } of house.devices.values()) {
        const states = world.house.house.unit(unit.address)?.states() ?? []
        const found = states.find((reported) => reported.gang === (gang?.gang ?? null))?.state
        if (found === undefined || found.class === 'sensor' || found.class === 'meter') continue
        // The gateway is about to receive a report of this unit.
        if (world.house.sinceReport(unit.address) < REPORT_MS) continue
        // The position of a moving cover changes all the time.
        if ('move' in found && found.move !== 'stopped') continue
        const known = live.states.get(key)?.state ?? {}
        const { class: unitClass, ...its } = found
        // A state of another class belongs to another device.
        const real = unitClass === deviceClass ? its : {}
        if (stateText(known) !== stateText(real))
          throw new Violation('cached', `${key} is ${stateText(real)}, known as ${stateText(known)}.`)
      }
    },
  }
}

/** Error messages that the gateway logs while the disk refuses writes. */
const OF_THE_DISK = /disk|cannot be written|accepts no writes|not be stored|could not|Activity waits/
/** Characters of an error in a violation. */
const TEXT_MAX = 400

/** Every error in the log is explained by a fault. */
export function quiet(world: World): RunCheck {
  world.log.onLine = ({ level, sentence, error }) => {
    if (level !== 'error') return
    world.note(`log: ${sentence}`)
    if (world.troubled('disk', 60_000) && OF_THE_DISK.test(sentence)) return
    world.guarded(() => {
      throw new Violation('quiet', `The log has an error: ${sentence} ${error.slice(0, TEXT_MAX)}`)
    })
  }
  return {}
}

/** Time to read a single unit. */
const ONE_UNIT_MS = 5_000
/** Time to read a house: a fixed part and a part for each unit. */
const HOUSE_MS = 5_000
const UNIT_MS = 500
/** Time from the end of all faults until every state is current. */
const RECOVERED_MS = 60_000

const EDITS: ReadonlySet<string> = new Set(['house.import', 'house.place', 'house.replace'])

interface ShownDevice {
  readonly id: string
  readonly state: Readonly<Record<string, unknown>> | null
}

/** Each reachable unit has its state in time after an import, a placing, a replacement or the end of a fault. */
export function current(world: World): RunCheck {
  const faultEnds = new Set<number>()
  /** Ids with a newer tenure than `order`. */
  const changedSince = (order: number): string[] => {
    world.lookAtUnits()
    return world.tenures.ids().filter((id) => (world.tenures.current(id)?.order ?? 0) > order)
  }
  const orders = new Map<object, number>()
  world.answering.watch({
    requested: (exchange) => {
      if (exchange.caller === null) orders.set(exchange, world.tenures.order)
    },
    answered: (exchange, { status, body }) => {
      const order = orders.get(exchange) ?? Infinity
      orders.delete(exchange)
      if (!EDITS.has(exchange.request.name) || !world.running || status !== 200) return
      if (body['checked'] === true || body['dryRun'] === true) return
      const ids = changedSince(order)
      lookAtReplaced(world, ids)
      expectStates(world, ids, ids.length > 1 ? HOUSE_MS + UNIT_MS * world.facts().units.size : ONE_UNIT_MS)
    },
  })
  world.physical.onChange(() => {
    const { order } = world.tenures
    const ids = changedSince(order).filter((id) => world.tenures.current(id)?.physical !== null)
    if (world.running) expectStates(world, ids, ONE_UNIT_MS)
  })
  return {
    afterAct: () => {
      const end = Math.max(...['line', 'down'].map((kind) => world.troubles.get(kind) ?? 0))
      if (end === 0 || faultEnds.has(end)) return
      faultEnds.add(end)
      const wait = Math.max(0, end - world.now)
      world.clock.after(wait, () => world.clock.stayAwake(RECOVERED_MS + 1))
      world.clock.after(wait + RECOVERED_MS, () => {
        if (world.running && !isDisturbed(world, RECOVERED_MS)) compare(world, [...world.facts().units.keys()], true)
      })
    },
  }
}

/** The witness reads every endpoint that could still show the previous units. */
function lookAtReplaced(world: World, ids: readonly string[]): void {
  const { witness, answering } = world
  if (witness === null) return
  void answering.ask(witness, 'house.get')
  void answering.ask(witness, 'sensors.list')
  for (const id of ids) {
    const name = `${world.life.files.stores.serial}:${witness.integration}:${id}`
    void answering.ask(witness, 'intents.list', { id: name })
    void answering.ask(witness, 'explain.get', { id: name })
  }
}

function expectStates(world: World, ids: readonly string[], withinMs: number): void {
  if (ids.length === 0 || isDisturbed(world, RECOVERED_MS)) return
  const { life } = world
  const { order } = world.tenures
  world.clock.stayAwake(withinMs + 1)
  world.clock.after(withinMs, () => {
    const isSame = world.running && world.life === life && world.tenures.order === order
    if (isSame && !isDisturbed(world, withinMs)) compare(world, ids, false)
  })
}

function isDisturbed(world: World, sinceMs: number): boolean {
  return world.troubled('line', sinceMs) || world.troubled('down', sinceMs)
}

/** @param exactly true to compare the state with the unit; false to require any state */
function compare(world: World, ids: readonly string[], exactly: boolean): void {
  const { witness } = world
  if (witness === null) return
  world.lookAtUnits()
  void world.answering.ask(witness, 'state.get').then(({ status, body }) => {
    if (status !== 200 || !world.running) return
    const devices = new Map(
      (body['devices'] as readonly ShownDevice[]).map(({ id, state }) => [id.split(':').slice(2).join(':'), state]),
    )
    world.guarded(() => {
      for (const id of ids) compareUnit(world, id, devices, exactly)
    })
  })
}

function compareUnit(
  world: World,
  id: string,
  devices: ReadonlyMap<string, ShownDevice['state']>,
  exactly: boolean,
): void {
  const { physical, fact } = world.tenures.current(id) ?? {}
  if (!physical?.unit.answers || fact === undefined) return
  for (const { gang, state } of physical.unit.states()) {
    if (state.class !== (gang === null ? fact.class : fact.gangs.get(gang))) continue
    const key = gang === null ? id : `${id}:${gang}`
    const visible = devices.get(key)
    const { class: unitClass, ...real } = state
    if (visible === null)
      throw new Violation('current', `${key} at ${fact.address} answers and has no state; it is ${stateText(real)}.`)
    const isSettled =
      !('move' in state && state.move !== 'stopped') && world.house.sinceReport(fact.address) > REPORT_MS
    const { asOf: _, ...known } = visible ?? {}
    if (!exactly || !isSettled || unitClass === 'sensor' || unitClass === 'meter' || visible === undefined) continue
    if (stateText(known) !== stateText(real))
      throw new Violation('current', `${key} at ${fact.address} is ${stateText(real)}, visible as ${stateText(known)}.`)
  }
}
