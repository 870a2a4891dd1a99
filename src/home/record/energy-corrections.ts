import type { Clock } from '../../lib/clock.ts'
import type { Cause } from '../model/events.ts'
import type { ActivityLog } from '../ports/activity-log.ts'
import type {
  EnergyJump,
  EnergyStore,
  CorrectedEnergy,
  CorrectedRange,
  EnergyCorrection,
} from '../ports/energy-store.ts'
import { energyWords, rangeWords } from '../words/energy.ts'
import type { Energy } from './energy.ts'
import { addDays } from '../../lib/zone-time.ts'
import type { DeviceKey } from '../model/device.ts'
import { QUARTER_MS } from './energy-counter.ts'
import type { TimeRange } from './energy-range.ts'
import { NO_PRICE } from './tariff.ts'

/** `count`: the device used that energy. `other_meter`: the counter was replaced, so nothing is counted. */
export const JUMP_ANSWERS = ['count', 'other_meter'] as const
type JumpAnswer = (typeof JUMP_ANSWERS)[number]

interface CorrectionParts {
  readonly store: Pick<EnergyStore, 'jumps' | 'settle' | 'corrections' | 'devices' | 'firstDay'>
  readonly energy: Pick<Energy, 'amounts' | 'place' | 'zone' | 'hasTariff'>
  readonly activity: ActivityLog
  readonly clock: Clock
}

/** Jumps of counters that wait for an administrator (docs/energy.md#jumps). */
export class EnergyJumps {
  readonly #parts: CorrectionParts

  constructor(parts: CorrectionParts) {
    this.#parts = parts
  }

  list(): readonly EnergyJump[] {
    return this.#parts.store.jumps()
  }

  /** Settles a jump, with an activity entry. Null if no such jump waits. Throws if it cannot be stored. */
  async answer(id: number, answer: JumpAnswer, cause: Cause): Promise<EnergyJump | null> {
    const { store, energy, activity, clock } = this.#parts
    const jump = store.settle(id, ({ mwh, from, to }) => (answer === 'count' ? energy.amounts(mwh, from, to) : []))
    if (jump === null) return null
    const range = rangeWords(energy.zone.zone, jump.from, jump.to)
    activity.record({
      at: clock.now(),
      kind: 'edited',
      subject: { kind: 'device', id: jump.device },
      what:
        answer === 'count'
          ? `jump of the counter by ${energyWords(jump.mwh)} ${range} added to its energy`
          : `jump of the counter by ${energyWords(jump.mwh)} ${range} left out: it is another meter`,
      cause,
      data: { jump: { answer, mwh: jump.mwh, from: jump.from, to: jump.to } },
    })
    await activity.committed()
    return jump
  }
}

/** Energy that a correction removes or restores: `cost` in the home's currency, null without a tariff. */
export interface Corrected {
  /** Null for a dry run. */
  readonly id: number | null
  readonly device: DeviceKey
  /** The corrected range: whole quarters of an hour, and whole days before `wholeDaysBefore`. */
  readonly from: number
  readonly to: number
  readonly energy: number
  readonly cost: number | null
  /** Start of the first day with stored quarters, if the range starts before it; else null. */
  readonly wholeDaysBefore: number | null
}

/** Removes wrong energy from all sums, and restores it (docs/energy.md#corrections). */
export class EnergyCorrections {
  readonly #parts: CorrectionParts

  constructor(parts: CorrectionParts) {
    this.#parts = parts
  }

  list(): readonly EnergyCorrection[] {
    return this.#parts.store.corrections.list()
  }

  /** Computes the energy that a correction of a device and its gangs would remove. */
  preview(device: DeviceKey, requested: TimeRange): Corrected {
    const { range, removed, wholeDaysBefore } = this.#rangeOf(requested)
    const energy = this.#parts.store.corrections.within(this.#withGangs(device), removed, this.#parts.energy.place)
    return { id: null, device, ...range, ...this.#sumsOf(energy), wholeDaysBefore }
  }

  /** Removes energy, with an activity entry. Throws if it cannot be stored. */
  async correct(device: DeviceKey, requested: TimeRange, cause: Cause): Promise<Corrected> {
    const { store, energy: sums, clock } = this.#parts
    const { range, removed, wholeDaysBefore } = this.#rangeOf(requested)
    const draft = { at: clock.now(), device, ...range, by: cause.name }
    const { id, energy } = store.corrections.takeOut(draft, this.#withGangs(device), removed, sums.place)
    const corrected = { id, device, ...range, ...this.#sumsOf(energy), wholeDaysBefore }
    await this.#record(corrected, 'taken out of its energy', cause)
    return corrected
  }

  /** Undoes a correction, with an activity entry. Null if there is none with this id. */
  async undo(id: number, cause: Cause): Promise<Corrected | null> {
    const undone = this.#parts.store.corrections.undo(id, this.#parts.energy.place)
    if (undone === null) return null
    const { device, from, to } = undone.correction
    const corrected = { id, device, from, to, ...this.#sumsOf(undone.energy), wholeDaysBefore: null }
    await this.#record(corrected, 'put back into its energy', cause)
    return corrected
  }

  /** Rounds a range to whole quarters, and to whole days where quarters are no longer stored. */
  #rangeOf(requested: TimeRange): { range: TimeRange; removed: CorrectedRange; wholeDaysBefore: number | null } {
    const { zone } = this.#parts.energy
    const firstDay = this.#parts.store.firstDay()
    const firstMs = firstDay === 0 ? 0 : zone.startOfDay(firstDay)
    const from = Math.floor(requested.from / QUARTER_MS) * QUARTER_MS
    const to = Math.ceil(requested.to / QUARTER_MS) * QUARTER_MS
    if (from >= firstMs || to <= from)
      return { range: { from, to }, removed: { quarters: { from, to }, days: null }, wholeDaysBefore: null }
    const days = { from: zone.at(from).day, to: zone.at(Math.min(to, firstMs) - 1).day }
    const range = { from: zone.startOfDay(days.from), to: to < firstMs ? zone.startOfDay(addDays(days.to, 1)) : to }
    return { range, removed: { quarters: { from: firstMs, to: range.to }, days }, wholeDaysBefore: firstMs }
  }

  #withGangs(device: DeviceKey): readonly DeviceKey[] {
    return [...this.#parts.store.devices()].filter((key) => key === device || key.startsWith(`${device}:`))
  }

  #sumsOf(energy: readonly CorrectedEnergy[]): Pick<Corrected, 'energy' | 'cost'> {
    const cost = energy.reduce((sum, { price, mwh }) => (price === NO_PRICE ? sum : sum + (mwh * price) / 1e12), 0)
    return {
      energy: energy.reduce((sum, { mwh }) => sum + mwh, 0) / 1_000,
      cost: this.#parts.energy.hasTariff ? Math.round(cost * 1e6) / 1e6 : null,
    }
  }

  async #record({ id, device, from, to, energy }: Corrected, what: string, cause: Cause): Promise<void> {
    const { activity, clock, energy: sums } = this.#parts
    activity.record({
      at: clock.now(),
      kind: 'edited',
      subject: { kind: 'device', id: device },
      what: `${energyWords(energy * 1_000)} ${rangeWords(sums.zone.zone, from, to)} ${what}`,
      cause,
      data: { correction: { id, energy, from, to } },
    })
    await activity.committed()
  }
}
