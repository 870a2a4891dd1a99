import type { Clock } from '../../lib/clock.ts'
import type { BusReport } from '../../home/ports/unit-bus.ts'
import type { Report } from '../message/messages.ts'
import { valuesByName } from './register-access.ts'
import type { UnitChange, UnitRegistry } from './unit-registry.ts'

/**
 * Keeps the order of the wire between a reply and later reports. The reply's promise is handled a turn later, so an
 * immediate report would overtake it, and the older state would be stored last. After a reply all reports wait for the
 * next turn.
 */
export class ReportGate<T> {
  readonly #clock: Clock
  readonly #emit: (event: T) => void
  #held: T[] = []
  #shut = false

  constructor(clock: Clock, emit: (event: T) => void) {
    this.#clock = clock
    this.#emit = emit
  }

  /** A reply is about to be delivered. */
  shut(): void {
    if (this.#shut) return
    this.#shut = true
    this.#clock.after(0, () => this.#open())
  }

  pass(event: T): void {
    if (this.#shut || this.#held.length > 0) this.#held.push(event)
    else this.#emit(event)
  }

  #open(): void {
    this.#shut = false
    // A listener may cause a new reply, which blocks the rest again.
    while (!this.#shut) {
      const [event] = this.#held
      if (event === undefined) return
      this.#emit(event)
      this.#held.shift()
    }
  }
}

/** An effect of the adapter's report. */
export type ReportEffect =
  /** Forwards the report to the home. */
  | { readonly do: 'emit'; readonly report: BusReport }
  /** The unit reported, so it is reachable; `measured` marks spontaneous measurements. */
  | { readonly do: 'seen'; readonly address: number; readonly measured: boolean }
  /** The adapter's list of units changed. */
  | ({ readonly do: 'unit' } & UnitChange)
  /** The report is about an unknown unit or gang, or has another class than the device. */
  | { readonly do: 'implausible'; readonly report: Report['name']; readonly address: number }
  /** The radio is in trouble. */
  | { readonly do: 'rest'; readonly trouble: 'jammed' | 'duty_limit' }
  | { readonly do: 'radio'; readonly up: boolean }

type DeviceReport = Exclude<Report, { readonly name: 'unit' | 'trouble' | 'radio' }>
type KnownUnits = Pick<UnitRegistry, 'units' | 'classOf'>

/** Returns the effects of a report, in order. A report that does not fit the units has no other effect. */
export function readReport(report: Report, registry: KnownUnits): readonly ReportEffect[] {
  switch (report.name) {
    case 'unit':
      return [{ do: 'unit', change: report.change, unit: report.unit }]
    case 'trouble':
      return [
        { do: 'rest', trouble: report.trouble },
        { do: 'emit', report: { kind: 'trouble', trouble: report.trouble } },
      ]
    case 'radio':
      return [{ do: 'radio', up: report.up }]
    case 'state_changed':
    case 'readings':
    case 'detection':
    case 'energy':
    case 'touch':
    case 'registers_changed': {
      const { address } = report
      const known = aboutDevice(report, registry)
      return known === null
        ? [{ do: 'implausible', report: report.name, address }]
        : [
            { do: 'seen', address, measured: report.name === 'readings' || report.name === 'energy' },
            { do: 'emit', report: known },
          ]
    }
  }
}

function aboutDevice(report: DeviceReport, registry: KnownUnits): BusReport | null {
  const { address } = report
  const unit = registry.units.get(address)
  if (unit === undefined) return null
  switch (report.name) {
    case 'state_changed': {
      const target = { address, gang: report.gang }
      return report.class === registry.classOf(target)
        ? { kind: 'state', target, state: report.state, trigger: report.trigger }
        : null
    }
    case 'readings':
      return { kind: 'readings', address, readings: report.readings }
    case 'detection':
      return { kind: 'detection', address, detection: report.detection, value: report.value }
    case 'energy': {
      const { gang, energyWh, powerW } = report
      return registry.classOf({ address, gang }) === undefined
        ? null
        : { kind: 'energy', address, gang, energyWh, powerW }
    }
    case 'touch': {
      const target = { address, gang: report.gang }
      if (registry.classOf(target) === undefined) return null
      return { kind: 'touch', target, key: report.key, press: report.press }
    }
    case 'registers_changed': {
      const target = { address, gang: report.gang }
      if (registry.classOf(target) === undefined) return null
      return { kind: 'registers', target, values: valuesByName(unit, target, report.registers) }
    }
  }
}
