import { Emitter } from '../../../src/lib/emitter.ts'
import { ok, fail, type Result } from '../../../src/lib/result.ts'
import type { RegisterValues, UnitSchedule, BusDown } from '../../../src/home/model/device.ts'
import type { BusFailure, BusReport, BusUnit, Priority, UnitTarget, UnitBus } from '../../../src/home/ports/unit-bus.ts'

interface BusCall {
  readonly what: 'read' | 'write' | 'schedules'
  readonly target: UnitTarget
  readonly values?: RegisterValues
  readonly priority: Priority
  readonly at: number
}

/** Units with registers, at the UnitBus interface. Each call waits for `beforeAnswer`. */
export class RegisterBus implements UnitBus {
  readonly retryMs = null
  down: BusDown | null = null
  readonly units = new Map<number, BusUnit>()
  readonly held = new Map<string, Record<string, number>>()
  readonly schedules = new Map<number, readonly UnitSchedule[]>()
  readonly calls: BusCall[] = []
  /** Failures of the next calls, by address, until removed. */
  readonly failures = new Map<number, BusFailure>()
  /** Runs before every answer; a test may delay the answer or change the unit meanwhile. */
  beforeAnswer: (call: BusCall) => Promise<void> = async () => {}
  readonly #reports = new Emitter<BusReport>((error) => {
    throw error
  })
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  at(target: UnitTarget): Record<string, number> {
    const key = `${target.address} ${target.gang}`
    const registers = this.held.get(key) ?? {}
    this.held.set(key, registers)
    return registers
  }

  report(report: BusReport): void {
    if (report.kind === 'link') this.down = report.down
    this.#reports.emit(report)
  }

  onReport(listener: (report: BusReport) => void): () => void {
    return this.#reports.on(listener)
  }

  async readRegisters(target: UnitTarget, priority: Priority): Promise<Result<RegisterValues, BusFailure>> {
    const seen = { ...this.at(target) }
    return this.#answer({ what: 'read', target, priority, at: this.#now() }, () => seen)
  }

  async writeRegisters(
    target: UnitTarget,
    values: RegisterValues,
    priority: Priority,
  ): Promise<Result<RegisterValues, BusFailure>> {
    return this.#answer({ what: 'write', target, values, priority, at: this.#now() }, () => {
      const registers = this.at(target)
      for (const [name, value] of Object.entries(values)) if (Object.hasOwn(registers, name)) registers[name] = value
      return Object.fromEntries(
        Object.keys(values)
          .filter((name) => Object.hasOwn(registers, name))
          .map((name) => [name, registers[name]!]),
      )
    })
  }

  async readSchedules(address: number, priority: Priority): Promise<Result<readonly UnitSchedule[], BusFailure>> {
    return this.#answer(
      { what: 'schedules', target: { address, gang: null }, priority, at: this.#now() },
      () => this.schedules.get(address) ?? [],
    )
  }

  obstacle(): never {
    throw new Error('settings never control')
  }
  refresh(): void {}

  readState(): never {
    throw new Error('settings never read states')
  }
  control(): never {
    throw new Error('settings never control')
  }
  controlGroup(): never {
    throw new Error('settings never control')
  }
  identify(): never {
    throw new Error('settings never blink')
  }

  ping(): never {
    throw new Error('settings never ping')
  }

  async #answer<T>(call: BusCall, take: () => T): Promise<Result<T, BusFailure>> {
    this.calls.push(call)
    await this.beforeAnswer(call)
    if (this.down !== null) return fail({ kind: 'unavailable' })
    const failure = this.failures.get(call.target.address)
    return failure === undefined ? ok(take()) : fail(failure)
  }
}
