import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { UNIT_CAPABILITIES, type UnitCapability } from '../../home/model/device.ts'
import { ok, type Result } from '../../lib/result.ts'
import type { BusFailure, BusUnit } from '../../home/ports/unit-bus.ts'
import type { SendOptions } from '../exchange/exchange.ts'
import type { ExchangeRunner } from '../exchange/exchange-runner.ts'
import type { UnitEntry } from '../message/codec.ts'
import type { DoneOf } from '../message/messages.ts'
import type { UnitRegistry } from './unit-registry.ts'
import type { UnitRequests } from './unit-requests.ts'

export type UnitStates = DoneOf<'read_state'>['states']

const LIST_RETRY_MS = 1_000
/** Minimum interval between reads of an outdated list. */
const LIST_AGAIN_MS = 10_000
/** More pages than 65,279 units can fill: a longer list is abandoned. */
const LIST_PAGES_MAX = 8_192
/** Number of reads in the exchange's queue at once; the rest waits here. */
const READS_AT_ONCE = 8
/** Interval of reads for units with possibly missed changes: half of the background's budget. */
export const DOUBTED_READ_MS = 4_000
/** Time after which a command has run, or never will (docs/hmhc.md, "How long"). */
const CARRIED_OUT_MS = 4_000
/** Interval of retries for failed reads, with one lost unit among them. */
export const RETRY_MS = 10_000

type Capabilities = DoneOf<'capabilities'>['units'][number]
const LISTING: SendOptions = { priority: 'automation' }

export interface SyncListener {
  /** The adapter's whole list. */
  onList(units: readonly BusUnit[]): void
  onStates(address: number, states: UnitStates): void
}

interface UnitSyncParts {
  readonly exchange: ExchangeRunner
  readonly requests: UnitRequests
  readonly registry: UnitRegistry
  readonly clock: Clock
  readonly log: Log
  readonly listener: SyncListener
}

/** After each (re)connect: reads the list of units, then the state of every reachable unit at a slow pace. */
export class UnitSync {
  readonly #parts: UnitSyncParts
  /** Units with an unconfirmed state. */
  readonly #stale = new Set<number>()
  #pending: number[] = []
  /** Units that may have changed while they were out of reach, in the order of their return. */
  readonly #doubted = new Set<number>()
  /** Units with a pending command at a broken connection: they may change after the first read. */
  readonly #cutOff = new Set<number>()
  #cancelDoubted: (() => void) | null = null
  /** The last commands of the previous process may run after the first read, without a report. */
  #followsAnother = true
  #cancelSecond = (): void => {}
  /** Units with a pending read. */
  readonly #reading: number[] = []
  /** Number of connections: replies to requests of an older one are dropped. */
  #run = 0
  #cancelRetry = (): void => {}
  #cancelList = (): void => {}
  #listingAgain = false

  constructor(parts: UnitSyncParts) {
    this.#parts = parts
  }

  /** Units whose state still has to be read. */
  get outstanding(): number {
    return this.#stale.size
  }

  /** Reads the list. `readAll` may follow once the listener has handled it. */
  async list(): Promise<void> {
    const run = ++this.#run
    this.#cancelList()
    this.#listingAgain = false
    this.#pending = []
    const units = await this.#readList()
    if (run !== this.#run) return
    if (units === null) this.#cancelList = this.#parts.clock.after(LIST_RETRY_MS, () => void this.list())
    else {
      this.#parts.listener.onList(units)
      await this.#learnCapabilities(run)
    }
  }

  /** The units are usable before their capabilities are known. */
  async #learnCapabilities(run: number): Promise<void> {
    const all = await this.#readCapabilities()
    if (run !== this.#run) return
    if (all === null) this.#cancelList = this.#parts.clock.after(LIST_RETRY_MS, () => void this.#learnCapabilities(run))
    const { registry } = this.#parts
    for (const { address, bits } of all ?? []) {
      const unit = registry.units.get(address)
      if (unit !== undefined) registry.put({ ...unit, capabilities: capabilitiesIn(bits) })
    }
  }

  /** Capabilities of a unit that joined; null if the adapter lists none for it. */
  async capabilitiesOf(address: number): Promise<readonly UnitCapability[] | null> {
    if (!this.#parts.exchange.hasCapabilities) return null
    const page = await this.#capabilitiesAfter(address - 1)
    const found = page?.units.find((entry) => entry.address === address)
    return found === undefined ? null : capabilitiesIn(found.bits)
  }

  /** The adapter knows other units than we do: schedules one delayed read of its list. */
  listAgain(): void {
    if (this.#listingAgain) return
    this.#listingAgain = true
    this.#cancelList = this.#parts.clock.after(LIST_AGAIN_MS, () => {
      this.#listingAgain = false
      void this.list()
    })
  }

  /** Schedules a read of every known unit. */
  readAll(): void {
    this.#stale.clear()
    this.#forgetDoubted()
    for (const { address } of this.#parts.registry.units.values()) this.#stale.add(address)
    this.#pending = this.#reachable()
    for (const address of this.#cutOff) this.doubt(address)
    this.#cancelSecond()
    if (this.#followsAnother) this.#cancelSecond = this.#parts.clock.after(CARRIED_OUT_MS, () => this.#readSecond())
    this.#readOn()
    this.#cancelRetry()
    this.#cancelRetry = this.#parts.clock.after(RETRY_MS, () => this.#retry())
  }

  /** After the next connect the unit is read again once its last command must have run. */
  cutOff(address: number): void {
    this.#cutOff.add(address)
  }

  /** One unit joined or returned. */
  read(address: number): void {
    this.#stale.add(address)
    if (!this.#pending.includes(address)) this.#pending.push(address)
    this.#readOn()
  }

  /** A unit that may have been out of reach answers: it is read soon, unless a read is due anyway. */
  doubt(address: number): void {
    this.#doubted.add(address)
    this.#cancelDoubted ??= this.#parts.clock.after(DOUBTED_READ_MS, () => this.#readDoubted())
  }

  /** Reads one unit at once; if it does not answer, it is read again as after a reconnect. */
  async readNow(address: number, options: SendOptions): Promise<Result<UnitStates, BusFailure>> {
    this.#stale.add(address)
    const reply = await this.#parts.requests.ask<'read_state'>({ name: 'read_state', address }, options)
    if (!reply.ok) return reply
    this.#confirmed(address)
    return ok(reply.value.states)
  }

  /** Connection lost, or stopped. */
  stop(): void {
    this.#run += 1
    this.#pending = []
    this.#forgetDoubted()
    this.#cancelSecond()
    this.#cancelRetry()
    this.#cancelList()
    this.#listingAgain = false
  }

  /** Reads all again; units without a first read get only this one. */
  #readSecond(): void {
    this.#followsAnother = false
    this.#pending = [...this.#pending, ...this.#reachable().filter((address) => !this.#pending.includes(address))]
    this.#readOn()
  }

  #reachable(): number[] {
    return [...this.#parts.registry.units.values()].filter((unit) => unit.reachable).map(({ address }) => address)
  }

  #readDoubted(): void {
    this.#cancelDoubted = null
    const [address, ...others] = this.#doubted
    if (address === undefined) return
    this.#doubted.delete(address)
    this.#cutOff.delete(address)
    // A unit that is silent again is doubted again at its next message.
    if (this.#parts.registry.breaker(address)?.doubtful !== true) this.read(address)
    if (others.length > 0) this.#cancelDoubted = this.#parts.clock.after(DOUBTED_READ_MS, () => this.#readDoubted())
  }

  #forgetDoubted(): void {
    this.#doubted.clear()
    this.#cancelDoubted?.()
    this.#cancelDoubted = null
  }

  #confirmed(address: number): void {
    this.#stale.delete(address)
    if (!this.#cutOff.has(address)) this.#doubted.delete(address)
  }

  #readList(): Promise<readonly UnitEntry[] | null> {
    return this.#readPages(async (after) => {
      const reply = await this.#parts.exchange.send<'list_units'>({ name: 'list_units', after }, LISTING)
      return reply.ok && reply.value.result === 'done' ? reply.value : null
    })
  }

  /** Empty for an adapter that lists no capabilities. */
  async #readCapabilities(): Promise<readonly Capabilities[] | null> {
    return this.#parts.exchange.hasCapabilities ? this.#readPages((after) => this.#capabilitiesAfter(after)) : []
  }

  async #capabilitiesAfter(after: number): Promise<DoneOf<'capabilities'> | null> {
    const reply = await this.#parts.exchange.send<'capabilities'>({ name: 'capabilities', after }, LISTING)
    return reply.ok && reply.value.result === 'done' ? reply.value : null
  }

  /** Reads all pages of a list; null if one cannot be read. */
  async #readPages<T>(
    readPage: (after: number) => Promise<{ readonly units: readonly T[]; readonly next: number } | null>,
  ): Promise<readonly T[] | null> {
    const units: T[] = []
    let after = 0
    for (let page = 0; page < LIST_PAGES_MAX; page++) {
      const read = await readPage(after)
      if (read === null) return null
      units.push(...read.units)
      if (read.next === 0) return units
      if (read.next <= after) break
      after = read.next
    }
    this.#parts.log.warn({ after }, "The adapter's list of units has no end")
    return null
  }

  #readOn(): void {
    while (this.#reading.length < READS_AT_ONCE) {
      const address = this.#pending.shift()
      if (address === undefined) return
      this.#reading.push(address)
      void this.#readOne(address, this.#run).then(() => {
        this.#reading.splice(this.#reading.indexOf(address), 1)
        return this.#readOn()
      })
    }
  }

  async #readOne(address: number, run: number): Promise<void> {
    const reply = await this.#parts.requests.ask<'read_state'>(
      { name: 'read_state', address },
      { priority: 'background', urgent: true },
    )
    if (run !== this.#run) return
    if (reply.ok) {
      this.#confirmed(address)
      this.#parts.listener.onStates(address, reply.value.states)
    } else if (reply.error.kind === 'unknown_unit') {
      this.#stale.delete(address)
    }
  }

  /** Retries failed reads and, in turn, one lost unit: its adapter may not know that it has returned. */
  #retry(): void {
    const stale = [...this.#stale].filter(
      (address) => !this.#pending.includes(address) && !this.#reading.includes(address),
    )
    const reachable = stale.filter((address) => this.#parts.registry.units.get(address)?.reachable === true)
    const lost = stale.find((address) => this.#parts.registry.units.get(address)?.reachable === false)
    for (const address of reachable.slice(0, READS_AT_ONCE)) this.read(address)
    if (lost !== undefined) {
      // Moves the unit to the end of the queue.
      this.#stale.delete(lost)
      this.read(lost)
    }
    this.#cancelRetry = this.#parts.clock.after(RETRY_MS, () => this.#retry())
  }
}

/** Bits of a later version are ignored. */
function capabilitiesIn(bits: number): readonly UnitCapability[] {
  return UNIT_CAPABILITIES.filter((_, bit) => (bits & (1 << bit)) !== 0)
}
