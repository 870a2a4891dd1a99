import type { BusReport } from '../../home/ports/unit-bus.ts'
import type { Report } from '../message/messages.ts'
import type { RegisterAccess } from './register-access.ts'
import type { UnitChange, UnitRegistry } from './unit-registry.ts'

export interface ReportListener {
  /** A sound report about a device that exists. */
  passed(report: BusReport): void
  /** A report about a unit or gang that nobody knows, or with a class that it does not have. */
  implausible(what: { readonly report: string; readonly address: number }): void
  heard(address: number): void
  unitChanged(change: UnitChange): void
  trouble(trouble: 'jammed' | 'duty_limit'): void
  radio(up: boolean): void
}

/** Turns the adapter's reports into the home's, and lets nothing pass that does not fit the units. */
export class ReportReader {
  readonly #registry: UnitRegistry
  readonly #registers: RegisterAccess
  readonly #listener: ReportListener

  constructor(parts: { registry: UnitRegistry; registers: RegisterAccess; listener: ReportListener }) {
    this.#registry = parts.registry
    this.#registers = parts.registers
    this.#listener = parts.listener
  }

  read(report: Report): void {
    switch (report.name) {
      case 'unit':
        return this.#unit(report.change, report.unit)
      case 'trouble':
        this.#listener.trouble(report.trouble)
        return this.#listener.passed({ kind: 'trouble', trouble: report.trouble })
      case 'radio':
        return this.#listener.radio(report.up)
      case 'state_changed':
      case 'readings':
      case 'detection':
      case 'energy':
      case 'registers_changed': {
        const passed = this.#aboutDevice(report)
        if (passed === null) return this.#listener.implausible({ report: report.name, address: report.address })
        this.#listener.heard(report.address)
        return this.#listener.passed(passed)
      }
    }
  }

  #aboutDevice(report: Exclude<Report, { readonly name: 'unit' | 'trouble' | 'radio' }>): BusReport | null {
    const { address } = report
    const unit = this.#registry.units.get(address)
    if (unit === undefined) return null
    switch (report.name) {
      case 'state_changed': {
        const target = { address, gang: report.gang }
        return report.class === this.#registry.classOf(target)
          ? { kind: 'state', target, state: report.state, trigger: report.trigger }
          : null
      }
      case 'readings':
        return { kind: 'readings', address, readings: report.readings }
      case 'detection':
        return { kind: 'detection', address, detection: report.detection, value: report.value }
      case 'energy': {
        const { gang, energyWh, powerW } = report
        return this.#registry.classOf({ address, gang }) === undefined
          ? null
          : { kind: 'energy', address, gang, energyWh, powerW }
      }
      case 'registers_changed': {
        const target = { address, gang: report.gang }
        if (this.#registry.classOf(target) === undefined) return null
        return { kind: 'registers', target, values: this.#registers.named(unit, target, report.registers) }
      }
    }
  }

  #unit(change: UnitChange['change'], unit: UnitChange['unit']): void {
    const known = this.#registry.units.get(unit.address)
    this.#registry.put({ ...unit, reachable: change !== 'lost' })
    if (change !== 'lost') this.#registry.breaker(unit.address)?.worked()
    // Told again, it is no news; joined again it is, since it may have been set up anew.
    if (change === 'joined' || known?.reachable !== (change !== 'lost'))
      this.#listener.unitChanged({ change, unit: { ...unit, reachable: change !== 'lost' } })
  }
}
