import type {
  Capability,
  Command,
  Outcome,
  OwnSchedule,
  RegisterPair,
  State,
  UnitInfo,
  Report,
} from '../model/bus-types.ts'
import type { Agenda } from '../model/agenda.ts'
import type { SeededRandom } from '../model/seeded-random.ts'
import { unitCounters, type Counters } from './counters.ts'

/** A unit as seen by its adapter over the air. */
export interface RadioUnit {
  readonly address: number
  readonly info: Omit<UnitInfo, 'reachable'>
  /** Radio hops between adapter and unit, 1 or more. */
  readonly hops: number
  /** True if the unit can answer: false without mains, or while silenced. */
  readonly answers: boolean
  /** True if the unit sleeps between its reports; the adapter answers for it. */
  readonly sleeps: boolean
  /** Listed by the adapter in HMHC 1.1. */
  readonly capabilities: readonly Capability[]
  hasGang(gang: number | null): boolean
  /** Blinks for some seconds; 0 ends it. The load does not move. */
  identify(gang: number | null, seconds: number): void
  states(): readonly { readonly gang: number | null; readonly state: State }[]
  /** Executes one operation; `done` gets the outcome, later if a part has to move first. */
  execute(gang: number | null, command: Command, done: (outcome: Outcome) => void): void
  readRegisters(gang: number | null, numbers: readonly number[]): readonly RegisterPair[]
  /** Writes all values or none; null on success. */
  writeRegisters(
    gang: number | null,
    registers: readonly RegisterPair[],
  ): { readonly detail: 'out_of_range' | 'no_register' | 'read_only'; readonly number: number } | null
  schedules(): readonly OwnSchedule[]
  /** Delay between the gangs that one group frame turns on, in units of 10 ms. */
  readonly switchOnSpeed: number
}

/** The network that an adapter serves. */
export interface RadioNetwork {
  /** In order of addresses. */
  readonly units: readonly RadioUnit[]
  unit(address: number): RadioUnit | undefined
  setClock(epochSeconds: number, offsetMinutes: number): void
}

/** Air time of one frame. */
const AIR_MS = 4
const HOP_MS = { least: 5, most: 12 }
/** Timeout of the radio before it sends again. */
const RETRY_MS = 280
const SENDS_MAX = 3

interface RadioParts {
  readonly agenda: Agenda
  readonly random: SeededRandom
  readonly counters: Counters
  /** Share of time in which the adapter may transmit: 0.1 in its band. */
  readonly duty: number
}

/** Outcome of one exchange over the air. */
export type RadioOutcome = 'answered' | 'no_answer' | 'radio_down'

/** The radio: delays by hop, one frame at a time, and a budget of air time. */
export class Radio {
  readonly #parts: RadioParts
  readonly #budgetMs: number
  #spentMs = 0
  #spentAt = 0
  #freeAt = 0
  readonly #lastReport = new Map<number, number>()
  up = true
  jammed = false

  constructor(parts: RadioParts) {
    this.#parts = parts
    this.#budgetMs = parts.duty * 3_600_000
  }

  /** Milliseconds until the duty budget allows `frames` more; 0 if it does now. */
  dutyWait(frames: number): number {
    const now = this.#parts.agenda.now()
    this.#spentMs = Math.max(0, this.#spentMs - (now - this.#spentAt) * this.#parts.duty)
    this.#spentAt = now
    const over = this.#spentMs + frames * AIR_MS - this.#budgetMs
    return over <= 0 ? 0 : Math.ceil(over / this.#parts.duty)
  }

  /**
   * Sends to a unit; `atUnit` runs when the frame arrives and calls back with the answer. `carried`: the first frame
   * was sent by another exchange, a group's.
   */
  exchange(
    unit: RadioUnit,
    atUnit: (answer: () => void) => void,
    done: (outcome: RadioOutcome) => void,
    carried = false,
    sends = SENDS_MAX,
  ): void {
    if (!carried) this.#spend(unit)
    const arrival = this.#travel(unit)
    this.#parts.agenda.after(arrival, () => {
      if (!this.up) return done('radio_down')
      if (!unit.answers || this.jammed) return this.#again(unit, atUnit, done, sends - 1)
      atUnit(() => {
        this.#count(unit)
        this.#parts.agenda.after(this.#travel(unit), () => done(this.up ? 'answered' : 'radio_down'))
      })
    })
  }

  /** Delivers a unit's report to the adapter, in order of sending; it is lost while the radio is down. */
  report(unit: RadioUnit, arrived: () => void): void {
    this.#count(unit)
    if (!this.up || this.jammed || !unit.answers) return
    const due = Math.max(this.#parts.agenda.now() + this.#travel(unit), this.#lastReport.get(unit.address) ?? 0)
    this.#lastReport.set(unit.address, due)
    this.#parts.agenda.after(due - this.#parts.agenda.now(), () => {
      if (this.up) arrived()
    })
  }

  /** Arrival time of a unit's last report at the adapter (by the agenda), past or future. */
  reportedAt(address: number): number {
    return this.#lastReport.get(address) ?? -Infinity
  }

  #again(
    unit: RadioUnit,
    atUnit: (answer: () => void) => void,
    done: (outcome: RadioOutcome) => void,
    left: number,
  ): void {
    this.#parts.agenda.after(RETRY_MS, () => {
      if (!this.up) done('radio_down')
      else if (left <= 0) done('no_answer')
      else this.exchange(unit, atUnit, done, false, left)
    })
  }

  #spend(unit: RadioUnit): void {
    this.dutyWait(0)
    this.#spentMs += AIR_MS
    this.#count(unit)
  }

  #count(unit: RadioUnit): void {
    this.#parts.counters.radioFrames++
    unitCounters(this.#parts.counters, unit.address).radioFrames++
  }

  /** Milliseconds until a frame sent now arrives: the wait for free air, and every hop. */
  #travel(unit: RadioUnit): number {
    const now = this.#parts.agenda.now()
    const start = Math.max(now, this.#freeAt)
    this.#freeAt = start + AIR_MS
    let hops = 0
    for (let hop = 0; hop < unit.hops; hop++) hops += this.#parts.random.between(HOP_MS.least, HOP_MS.most)
    return start - now + hops
  }
}

/** Number of consecutive unanswered requests that make a unit lost. */
const MISSED_MAX = 3

interface MembersParts {
  readonly agenda: Agenda
  readonly network: RadioNetwork
  readonly report: (report: Report) => void
}

/** The adapter's record of its units: time of each one's last message, and the lost ones. */
export class Members {
  readonly #parts: MembersParts
  readonly #seenAt = new Map<number, number>()
  readonly #missed = new Map<number, number>()
  readonly #lost = new Set<number>()

  constructor(parts: MembersParts) {
    this.#parts = parts
  }

  info(unit: RadioUnit): UnitInfo {
    return { ...unit.info, reachable: !this.#lost.has(unit.address) }
  }

  /** Milliseconds since the unit's last answer or report. */
  silentMs(address: number): number {
    return this.#parts.agenda.now() - (this.#seenAt.get(address) ?? -Infinity)
  }

  seen(address: number): void {
    this.#seenAt.set(address, this.#parts.agenda.now())
    this.#missed.delete(address)
    if (this.#lost.delete(address)) this.#changed(address, 'back')
  }

  missed(address: number): void {
    const missed = (this.#missed.get(address) ?? 0) + 1
    this.#missed.set(address, missed)
    if (missed >= MISSED_MAX) this.lose(address)
  }

  /** Marks a unit as lost: requests or expected reports went unanswered. */
  lose(address: number): void {
    if (this.#lost.has(address)) return
    this.#lost.add(address)
    this.#changed(address, 'lost')
  }

  #changed(address: number, change: 'lost' | 'back'): void {
    const unit = this.#parts.network.unit(address)
    if (unit !== undefined) this.#parts.report({ kind: 'unit', change, unit: this.info(unit) })
  }
}
