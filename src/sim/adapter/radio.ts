import type { Command, Outcome, OwnSchedule, RegisterPair, State, UnitInfo, Report } from '../model/bus-types.ts'
import type { Agenda } from '../model/agenda.ts'
import type { SeededRandom } from '../model/seeded-random.ts'
import { unitCounters, type Counters } from './counters.ts'

/** A unit as its adapter sees it over the air. */
export interface RadioUnit {
  readonly address: number
  readonly info: Omit<UnitInfo, 'reachable'>
  /** Radio hops between adapter and unit, 1 or more. */
  readonly hops: number
  /** Whether anything would come back: false without mains, or when it is made silent. */
  readonly answers: boolean
  /** Sleeps between its reports; the adapter answers for it. */
  readonly sleeps: boolean
  hasGang(gang: number | null): boolean
  states(): readonly { readonly gang: number | null; readonly state: State }[]
  /** Carries out one operation; `done` gets the outcome, later where something has to move first. */
  execute(gang: number | null, command: Command, done: (outcome: Outcome) => void): void
  readRegisters(gang: number | null, numbers: readonly number[]): readonly RegisterPair[]
  /** Writes all or nothing; null when it was done. */
  writeRegisters(
    gang: number | null,
    registers: readonly RegisterPair[],
  ): { readonly detail: 'out_of_range' | 'no_register' | 'read_only'; readonly number: number } | null
  schedules(): readonly OwnSchedule[]
  /** Units of 10 ms between gangs that one group frame turns on. */
  readonly switchOnSpeed: number
}

/** The network that an adapter serves. */
export interface RadioNetwork {
  /** In the order of addresses. */
  readonly units: readonly RadioUnit[]
  unit(address: number): RadioUnit | undefined
  setClock(epochSeconds: number, offsetMinutes: number): void
}

/** How long one frame keeps the air busy. */
const AIR_MS = 4
const HOP_MS = { least: 5, most: 12 }
/** How long the radio waits for an answer before it sends again. */
const RETRY_MS = 280
const SENDS_MAX = 3

interface RadioParts {
  readonly agenda: Agenda
  readonly random: SeededRandom
  readonly counters: Counters
  /** Share of the time the adapter may transmit: 0.1 in the band it uses. */
  readonly duty: number
}

/** What became of one exchange over the air. */
export type RadioOutcome = 'answered' | 'no_answer' | 'radio_down'

/** The radio: delays by hop, one frame at a time, and a budget of transmitting time. */
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

  /** Milliseconds until the duty budget allows `frames` more; 0 when it does now. */
  dutyWait(frames: number): number {
    const now = this.#parts.agenda.now()
    this.#spentMs = Math.max(0, this.#spentMs - (now - this.#spentAt) * this.#parts.duty)
    this.#spentAt = now
    const over = this.#spentMs + frames * AIR_MS - this.#budgetMs
    return over <= 0 ? 0 : Math.ceil(over / this.#parts.duty)
  }

  /**
   * Sends to a unit; `atUnit` runs there when the frame arrives and calls back when it answers. `carried`: the first
   * frame is one that another exchange has sent already, a group's.
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

  /** Brings a unit's own report to the adapter, in the order of sending; it is lost while the radio is down. */
  report(unit: RadioUnit, arrived: () => void): void {
    this.#count(unit)
    if (!this.up || this.jammed || !unit.answers) return
    const due = Math.max(this.#parts.agenda.now() + this.#travel(unit), this.#lastReport.get(unit.address) ?? 0)
    this.#lastReport.set(unit.address, due)
    this.#parts.agenda.after(due - this.#parts.agenda.now(), () => {
      if (this.up) arrived()
    })
  }

  /** When the last report of a unit is at the adapter (by the agenda), or was. */
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

  /** Milliseconds until a frame sent now is there: the wait for free air, and every hop. */
  #travel(unit: RadioUnit): number {
    const now = this.#parts.agenda.now()
    const start = Math.max(now, this.#freeAt)
    this.#freeAt = start + AIR_MS
    let hops = 0
    for (let hop = 0; hop < unit.hops; hop++) hops += this.#parts.random.between(HOP_MS.least, HOP_MS.most)
    return start - now + hops
  }
}

/** So many requests in a row without an answer make a unit lost. */
const MISSED_MAX = 3

interface MembersParts {
  readonly agenda: Agenda
  readonly network: RadioNetwork
  readonly report: (report: Report) => void
}

/** What the adapter knows of its units: when each last answered or reported, and which are lost. */
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

  /** Milliseconds since the unit was last answered or reported. */
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

  /** Counts a unit as lost: requests or expected reports stayed out. */
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
