import { type PhysicalUnit, MARKED_REGISTERS } from '../world/physical-units.ts'
import type { Tenure } from '../world/expected-state.ts'
import type { World } from '../world/world.ts'
import type { ActivityEntry } from '../../src/home/model/events.ts'
import type { RecordedCall, RecordedReply } from '../world/sim-calls.ts'
import { Violation } from '../world/journal.ts'
import type { RunCheck } from './run-check.ts'

/** By then the gateway has detected another physical unit and has read it. */
const NOTICED_MS = 15_000

/** Physical units whose values an id may show now. */
interface Attribution {
  readonly units: readonly PhysicalUnit[]
  /** Tenure before which all values belong to another unit, or null. */
  readonly boundary: Tenure | null
}

/**
 * The physical units that an id may show, or undefined if the house has no such unit.
 *
 * @param remembers true if values stay until an indistinguishable unit reports new ones
 */
function attributionOf(world: World, id: string, remembers: boolean): Attribution | undefined {
  if (world.tenures.current(id) === undefined) return undefined
  const units: PhysicalUnit[] = []
  for (const tenure of world.tenures.of(id)) {
    const { physical, begunBy } = tenure
    if (physical !== null) units.push(physical)
    if (begunBy === 'edit') return { units, boundary: tenure }
    if (isUndetected(world, tenure)) continue
    if (begunBy === 'unit') return { units, boundary: tenure }
    if (!remembers && physical !== null) return { units, boundary: null }
  }
  return { units, boundary: null }
}

/** True if the gateway may not have detected a change of units yet. */
function isUndetected({ now, troubles }: World, { from }: Tenure): boolean {
  return now < Math.max(from, troubles.get('line') ?? 0, troubles.get('down') ?? 0) + NOTICED_MS
}

const MOVES = ['stopped', 'opening', 'closing'] as const

type Fields = Readonly<Record<string, unknown>>

/** A device of the house by its local id: `u23` or `u23:1`. */
interface DeviceName {
  readonly id: string
  readonly gang: number | null
}

/** Responses, events, runs and explanations show no values of the previous unit of an id. */
export function replaced(world: World): RunCheck {
  const check = new ValueCheck(world)
  /** Order of the newest tenure at the time of each request. */
  const orders = new Map<RecordedCall, number>()
  let readUpTo = 0
  world.answering.watch({
    requested: (exchange) => {
      world.lookAtUnits()
      orders.set(exchange, world.tenures.order)
    },
    answered: (exchange, reply) => {
      const order = orders.get(exchange) ?? 0
      orders.delete(exchange)
      if (!world.running || reply.status >= 300 || reply.status === 0) return
      world.lookAtUnits()
      if (exchange.caller !== null) check.answer(exchange, reply, order)
    },
    received: (_, text) => {
      if (!world.running || !text.includes('"event"')) return
      world.lookAtUnits()
      check.value(JSON.parse(text), Infinity)
    },
  })
  world.watch({
    begun: () => {
      const { witness } = world
      if (witness !== null && world.answering.connect(witness)) world.answering.subscribe(witness, ['*'])
    },
  })
  return {
    afterAct: () => {
      if (!world.running) return
      world.lookAtUnits()
      const now = world.clock.now()
      const { activity } = world.life.files.stores.history
      for (const entry of activity.iterate(readUpTo, now + 1)) check.run(entry)
      readUpTo = now
    },
  }
}

/** Compares visible values with the reports of the physical units. */
class ValueCheck {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** @param order of the newest tenure at the time of the request; the response may still show earlier ones */
  answer({ request }: RecordedCall, { body }: RecordedReply, order: number): void {
    this.value(body, order)
    if (request.name === 'intents.list') this.#settings(body, order)
    if (request.name === 'explain.get') this.#explanation(body, order)
  }

  /** Checks all devices in a JSON value: state, readings and times. */
  value(value: unknown, order: number): void {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) return value.forEach((item) => this.value(item, order))
    const fields = value as Fields
    const device = deviceName(fields['id'] ?? fields['device'])
    if (device !== null) this.#device(device, fields, order)
    for (const member of Object.values(fields)) this.value(member, order)
  }

  /** Checks that the current unit reported the trigger of a run. */
  run({ kind, at, data }: ActivityEntry): void {
    const trigger = data?.['trigger'] as Fields | undefined
    const device = kind === 'run' ? deviceName(`::${String(trigger?.['device'])}`) : null
    if (device === null || trigger === undefined || trigger['state'] !== 'on') return
    const { boundary, units } = attributionOf(this.#world, device.id, false) ?? {}
    const [unit] = units ?? []
    if (!boundary || unit === undefined || !this.#isAfter(boundary.fromWall, boundary.from) || at < boundary.fromWall)
      return
    const holdMs = Number(trigger['for'] ?? 0) * 1_000
    const hasReported = unit.statesSince(device.gang, boundary.from).some(({ on }) => on === trigger['is'])
    if (!hasReported || at - boundary.fromWall < holdMs)
      this.#fail(device, `set off a run by ${JSON.stringify(trigger)}, which its unit never reported`)
  }

  #device(device: DeviceName, fields: Fields, order: number): void {
    const attribution = this.#attribution(device, order, true)
    if (attribution === null) return
    const { boundary } = attribution
    const { state, readings, lastSeen } = fields
    const isMeasuring = fields['event'] === 'sensor' || fields['class'] === 'sensor' || fields['class'] === 'meter'
    if (isFields(readings)) this.#readings(device, { ...readings, asOf: fields['asOf'] }, attribution)
    if (isFields(state) && isMeasuring) this.#readings(device, state, attribution)
    else if (isFields(state)) this.#state(device, state, order)
    if (boundary !== null && typeof lastSeen === 'number') this.#time(device, 'lastSeen', lastSeen, boundary)
  }

  #state(device: DeviceName, { asOf, ...state }: Fields, order: number): void {
    const attribution = this.#attribution(device, order, false)
    if (attribution === null) return
    const { units, boundary } = attribution
    // A cover that becomes unreachable while moving has an unknown movement.
    const states = state['move'] === 'unknown' ? MOVES.map((move) => ({ ...state, move })) : [state]
    const isReported = units.some((unit) => states.some((one) => unit.reportedState(device.gang, one) !== undefined))
    if (!isReported) this.#fail(device, `shows ${JSON.stringify(state)}, which its unit never reported`)
    if (boundary !== null && typeof asOf === 'number') this.#time(device, 'asOf', asOf, boundary)
  }

  #readings(device: DeviceName, { asOf, ...readings }: Fields, { units, boundary }: Attribution): void {
    for (const [kind, value] of Object.entries(readings)) {
      // A load that is off takes no power, even without a report.
      if (value === null || (kind === 'power' && value === 0)) continue
      if (!units.some((unit) => unit.reportedReading(device.gang, kind, value)))
        this.#fail(device, `shows ${kind} ${JSON.stringify(value)}, which its unit never reported`)
    }
    if (boundary !== null && typeof asOf === 'number') this.#time(device, 'asOf', asOf, boundary)
  }

  #settings(body: Fields, order: number): void {
    const device = deviceName(body['device'])
    const attribution = device && this.#attribution(device, order, true)
    if (!device || !attribution) return
    for (const { intent, value, asOf } of body['intents'] as readonly Fields[]) {
      const register = MARKED_REGISTERS.find((name) => name === intent)
      const isForeign = register !== undefined && value !== null && device.gang === null
      if (isForeign && !attribution.units.some((unit) => unit.hadRegister(register, value)))
        this.#fail(device, `shows ${register} ${JSON.stringify(value)}, which its unit never had`)
      if (attribution.boundary !== null && typeof asOf === 'number')
        this.#time(device, `the age of ${String(intent)}`, asOf, attribution.boundary)
    }
  }

  #explanation(body: Fields, order: number): void {
    for (const { device: id, at, what } of body['items'] as readonly Fields[]) {
      const device = deviceName(id)
      const boundary = device && this.#attribution(device, order, true)?.boundary
      if (device && boundary && typeof at === 'number') this.#time(device, `the reason "${String(what)}"`, at, boundary)
    }
  }

  #attribution({ id }: DeviceName, order: number, remembers: boolean): Attribution | null {
    const attribution = attributionOf(this.#world, id, remembers)
    if (attribution === undefined || (attribution.boundary?.order ?? 0) > order) return null
    return attribution
  }

  #time(device: DeviceName, what: string, at: number, { from, fromWall }: { from: number; fromWall: number }): void {
    if (at < fromWall && this.#isAfter(fromWall, from))
      this.#fail(device, `shows ${what} of ${new Date(at).toISOString()}`)
  }

  /** True if the wall clock has had no jump since a moment. */
  #isAfter(wall: number, mono: number): boolean {
    const world = this.#world
    return !world.troubled('clock', world.now - mono) && wall <= world.clock.now()
  }

  #fail({ id, gang }: DeviceName, what: string): never {
    const tenure = this.#world.tenures.current(id)
    const address = tenure?.fact.address
    throw new Violation('replaced', `${id}${gang === null ? '' : `:${gang}`}, now the unit at ${address}, ${what}.`)
  }
}

function deviceName(id: unknown): DeviceName | null {
  const [, unit, gang] = typeof id === 'string' ? (/^[^:]*:[^:]*:(u\d+)(?::(\d))?$/.exec(id) ?? []) : []
  return unit === undefined ? null : { id: unit, gang: gang === undefined ? null : Number(gang) }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
