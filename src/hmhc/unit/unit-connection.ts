import { type Clock, every } from '../../lib/clock.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { Log } from '../../lib/log.ts'
import type { DeviceState, BusDown } from '../../home/model/device.ts'
import type { BusFailure, BusReport, BusUnit, UnitTarget } from '../../home/ports/unit-bus.ts'
import { AIR_TIME, type SendOptions } from '../exchange/exchange.ts'
import { LinkCounters, type Count } from '../exchange/link.ts'
import { ExchangeRunner, type ExchangeListener } from '../exchange/exchange-runner.ts'
import type { SessionDown } from '../exchange/link-session.ts'
import type { Hello, Report } from '../message/messages.ts'
import type { ClassedState } from '../message/state-codec.ts'
import type { LineOptions } from '../port/port.ts'
import { NO_ANSWER, refused, unavailable, UNKNOWN_UNIT, UnitRequests, type UnitObserver } from './unit-requests.ts'
import { ReportGate, readReport, type ReportEffect } from './report-reader.ts'
import { type UnitChange, UnitRegistry } from './unit-registry.ts'
import { UnitSync, type SyncListener, type UnitStates } from './unit-sync.ts'

const CHECK_MS = 60_000
const SET_AGAIN_MS = 6 * 3_600_000

/** Minutes that local time is ahead of UTC, at a moment in epoch milliseconds. */
type UtcOffset = (epochMs: number) => number

/** The machine's own zone. */
const machineUtcOffset: UtcOffset = (epochMs) => -new Date(epochMs).getTimezoneOffset()

/** Sets the time of the units: after each connect, when local time jumps, and every few hours. */
class ClockSetter {
  readonly #clock: Clock
  readonly #utcOffset: UtcOffset
  readonly #send: (epochSeconds: number, offsetMinutes: number) => void
  #offset: number | null = null
  #setAt = -Infinity
  #stop = (): void => {}

  constructor(clock: Clock, utcOffset: UtcOffset, send: (epochSeconds: number, offsetMinutes: number) => void) {
    this.#clock = clock
    this.#utcOffset = utcOffset
    this.#send = send
  }

  start(): void {
    this.#stop()
    this.#stop = every(this.#clock, CHECK_MS, () => {
      const due = this.#clock.monotonic() - this.#setAt >= SET_AGAIN_MS
      if (due || this.#utcOffset(this.#clock.now()) !== this.#offset) this.set()
    })
  }

  stop(): void {
    this.#stop()
  }

  set(): void {
    const now = this.#clock.now()
    this.#offset = this.#utcOffset(now)
    this.#setAt = this.#clock.monotonic()
    this.#send(Math.max(0, Math.floor(now / 1_000)), this.#offset)
  }
}

/** Pause of background requests when the radio is jammed or at its limit. */
export const PAUSE_AFTER_TROUBLE_MS = 5 * 60_000

export interface ConnectionOptions extends LineOptions {
  /** The home's offset from UTC in minutes, for the units' own schedules; default: the machine's. */
  readonly utcOffset?: UtcOffset
}

/** The units behind the adapter: their list, reachability and reports, across every reconnect. */
export class UnitConnection implements ExchangeListener, UnitObserver, SyncListener {
  readonly registry: UnitRegistry
  readonly exchange: ExchangeRunner
  readonly requests: UnitRequests
  readonly #log: Log
  readonly #counters = new LinkCounters()
  readonly #gate: ReportGate<BusReport>
  readonly #sync: UnitSync
  readonly #clockSetter: ClockSetter
  #down: BusDown | null = 'port'
  #radioUp = true
  #listed = false

  constructor(options: ConnectionOptions, emit: (report: BusReport) => void) {
    const { clock, log } = options
    const counters = this.#counters
    const registry = new UnitRegistry(clock)
    const isDoubtful = (address: number): boolean => registry.breaker(address)?.doubtful ?? false
    const exchange = new ExchangeRunner({ ...options, airTime: AIR_TIME, counters, isDoubtful }, this)
    const requests = new UnitRequests({ exchange, registry, counters, observer: this })
    this.registry = registry
    this.exchange = exchange
    this.requests = requests
    this.#log = log
    this.#gate = new ReportGate(clock, emit)
    this.#sync = new UnitSync({ exchange, requests, registry, clock, log, listener: this })
    this.#clockSetter = new ClockSetter(clock, options.utcOffset ?? machineUtcOffset, (epoch, offset) => {
      void exchange.send({ name: 'set_clock', epoch, offset }, { priority: 'automation' })
    })
  }

  /** Reason why no frame reaches the units, or null. */
  get down(): BusDown | null {
    return this.#down
  }

  start(): void {
    this.exchange.start()
    this.#clockSetter.start()
  }

  /** Closes the line; pending requests fail as unavailable. */
  stop(): void {
    this.#clockSetter.stop()
    this.#sync.stop()
    this.exchange.stop()
    this.#down = 'port'
  }

  /** Line counters since the start, and numbers of waiting requests. */
  counters(): Readonly<Record<Count | 'waiting' | 'statesOutstanding', number>> {
    return { ...this.#counters.all(), waiting: this.exchange.waiting, statesOutstanding: this.#sync.outstanding }
  }

  /** A known failure of any frame to this target without sending one, or null. */
  precheck(target: UnitTarget): BusFailure | null {
    if (this.#down !== null) return unavailable(this.exchange.retryMs)
    if (!this.registry.units.has(target.address)) return UNKNOWN_UNIT
    return this.registry.classOf(target) === undefined ? refused('the unit has no such gang') : null
  }

  /** Checks that a confirmed state has its device's class; another state is about another device. */
  plausible(target: UnitTarget, confirmed: ClassedState): Result<DeviceState, BusFailure> {
    if (confirmed.class === this.registry.classOf(target)) return ok(confirmed.state)
    this.#counters.add('implausibleReports')
    return fail(NO_ANSWER)
  }

  async readState(target: UnitTarget, options: SendOptions): Promise<Result<DeviceState, BusFailure>> {
    const states = await this.#sync.readNow(target.address, options)
    if (!states.ok) return states
    const read = states.value.find(({ gang }) => gang === target.gang)
    return read === undefined ? fail(NO_ANSWER) : this.plausible(target, read)
  }

  /** Reads a unit's state in the background. Without a link it does nothing: the next one reads every unit. */
  refresh(address: number): void {
    if (this.#down === null && this.registry.units.has(address)) this.#sync.read(address)
  }

  /** A session began: missed changes are read again. */
  onReady(hello: Hello): void {
    this.#radioUp = hello.radioUp
    this.#listed = false
    this.#clockSetter.set()
    void this.#sync.list()
  }

  onDown(why: SessionDown): void {
    this.#sync.stop()
    this.#setDown(why)
  }

  onReport(report: Report): void {
    for (const effect of readReport(report, this.registry)) this.#do(effect)
  }

  onReply(): void {
    this.#gate.shut()
  }

  onUnitChange(change: UnitChange): void {
    this.#gate.pass({ kind: 'unit', ...change })
    const { address } = change.unit
    if (change.change === 'joined' && this.exchange.hasCapabilities)
      void this.#learnCapabilities(address).then(() => this.#sync.read(address))
    else if (change.change !== 'lost') this.#sync.read(address)
  }

  onSpeaksAgain(address: number): void {
    this.#sync.doubt(address)
  }

  onCutOff(address: number): void {
    this.#sync.cutOff(address)
  }

  onUnknownUnit(): void {
    this.#sync.listAgain()
  }

  onList(units: readonly BusUnit[]): void {
    const first = this.registry.units.size === 0
    const changes = this.registry.replace(units)
    this.#listed = true
    this.#log.info({ units: units.length }, 'The adapter listed its units')
    // At the first contact every unit is new; only unreachable ones are reported to the home.
    const reported = first
      ? units.filter((unit) => !unit.reachable).map((unit) => ({ change: 'lost' as const, unit }))
      : changes
    for (const change of reported) this.#gate.pass({ kind: 'unit', ...change })
    this.#onRadio(this.#radioUp)
  }

  onStates(address: number, states: UnitStates): void {
    for (const { gang, ...read } of states) {
      const target = { address, gang }
      if (!this.plausible(target, read).ok) continue
      // The state of a sensor or meter is its readings.
      if (read.class === 'sensor' || read.class === 'meter')
        this.#gate.pass({ kind: 'readings', address, readings: read.state })
      else this.#gate.pass({ kind: 'state', target, state: read.state, trigger: 'sync' })
    }
  }

  async #learnCapabilities(address: number): Promise<void> {
    const capabilities = await this.#sync.capabilitiesOf(address)
    const unit = this.registry.units.get(address)
    if (capabilities !== null && unit !== undefined) this.registry.put({ ...unit, capabilities })
  }

  #do(effect: ReportEffect): void {
    switch (effect.do) {
      case 'emit':
        return this.#gate.pass(effect.report)
      case 'seen':
        if (this.registry.speaks(effect.address, effect.measured)) this.#sync.doubt(effect.address)
        return this.#changed(this.registry.seen(effect.address))
      case 'unit':
        return this.#changed(this.registry.reported(effect))
      case 'implausible':
        // Before its units are listed, reports cannot be checked; the states are read afterwards.
        if (!this.#listed) return
        this.#counters.add('implausibleReports')
        this.#log.warn(
          { report: effect.report, address: effect.address },
          'The adapter sent a report that does not fit its units',
        )
        return this.#sync.listAgain()
      case 'rest':
        this.#log.warn({ trouble: effect.trouble }, 'The radio is in trouble; background requests pause')
        return this.exchange.pauseBackground(PAUSE_AFTER_TROUBLE_MS)
      case 'radio':
        return this.#onRadio(effect.up)
    }
  }

  #changed(change: UnitChange | null): void {
    if (change !== null) this.onUnitChange(change)
  }

  #onRadio(up: boolean): void {
    this.#radioUp = up
    if (!this.#listed) return
    this.#setDown(up ? null : 'radio')
    if (up) this.#sync.readAll()
    else this.exchange.dropRadio()
  }

  #setDown(down: BusDown | null): void {
    if (down === this.#down) return
    this.#down = down
    this.#log.info({ down }, down === null ? 'The unit protocol carries frames' : 'The unit protocol carries no frames')
    this.#gate.pass({ kind: 'link', down })
  }
}
