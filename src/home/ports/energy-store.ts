import type { DeviceKey } from '../model/device.ts'

/** Keeps the tariff file's content as it was set. Writes run inside `UnitOfWork.change`. */
export interface TariffStore {
  /** The content as read from the file, or null where no tariff is set. */
  load(): unknown
  save(content: unknown): void
  clear(): void
}

/** The energy that history.db answers and takes. All times are epoch ms; `from` is inclusive, `to` exclusive. */

/** A device's counter as last seen. `mwh` is the unit's own counter in milliwatt-hours. */
export interface EnergyCounter {
  readonly mwh: number
  readonly at: number
}

/**
 * Energy of one quarter of an hour with the day, the month and the price (millionths of the currency per kWh, -1
 * unknown) it belongs to.
 */
export interface EnergyAmount {
  /** Start of the quarter, epoch ms. */
  readonly quarter: number
  /** Local date as YYYYMMDD. */
  readonly day: number
  readonly price: number
  readonly mwh: number
}

/** A sum of energy at one price; `key` is a quarter's start, a local day YYYYMMDD or a local month YYYYMM. */
export interface EnergySum {
  readonly key: number
  readonly price: number
  readonly mwh: number
}

/** The most that a device took on one day and in one quarter of an hour, 0 where nothing is known. */
export interface LargestUse {
  readonly dayMwh: number
  readonly quarterMwh: number
}

/** A counter value, the energy that it adds to the sums, and the jump that it leaves out of them. */
export interface CountedEnergy {
  readonly counter: EnergyCounter
  readonly amounts: readonly EnergyAmount[]
  readonly jump?: Omit<EnergyJump, 'id' | 'device'>
}

/** A jump of a counter that waits for an administrator's answer. Times are those of the two readings. */
export interface EnergyJump {
  readonly id: number
  readonly device: DeviceKey
  readonly from: number
  readonly to: number
  readonly mwh: number
}

/** The day and the price that a quarter of an hour has in the present sums. */
export type PlaceQuarter = (quarter: number) => Pick<EnergyAmount, 'day' | 'price'>

/** Energy that is or was taken out of the sums: of a quarter (`key` is its start) or a whole local day (YYYYMMDD). */
export interface CorrectedEnergy {
  readonly device: DeviceKey
  readonly grain: 'quarter' | 'day'
  readonly key: number
  readonly price: number
  readonly mwh: number
}

/** Where energy is taken out: quarters by time, `to` exclusive; older whole days by local date, both inclusive. */
export interface CorrectedRange {
  readonly quarters: { readonly from: number; readonly to: number }
  readonly days: { readonly from: number; readonly to: number } | null
}

/** A correction of the sums. `from` and `to` are epoch ms; `device` is the one that was named, its gangs included. */
export interface EnergyCorrection {
  readonly id: number
  readonly at: number
  readonly device: DeviceKey
  readonly from: number
  readonly to: number
  readonly mwh: number
  /** Name of the administrator. */
  readonly by: string
}

export interface EnergyCorrectionStore {
  /** Energy of some devices in a range, as a correction would take it out. */
  within(devices: readonly DeviceKey[], range: CorrectedRange, place: PlaceQuarter): readonly CorrectedEnergy[]
  /** Takes all of it out of the sums and keeps it; the oldest correction beyond a bound cannot be undone any more. */
  takeOut(
    correction: Omit<EnergyCorrection, 'id' | 'mwh'>,
    devices: readonly DeviceKey[],
    range: CorrectedRange,
    place: PlaceQuarter,
  ): { readonly id: number; readonly energy: readonly CorrectedEnergy[] }
  /** Newest first. */
  list(): readonly EnergyCorrection[]
  /** Puts the energy of a correction back into the sums and forgets the correction; null where there is none. */
  undo(
    id: number,
    place: PlaceQuarter,
  ): { readonly correction: EnergyCorrection; readonly energy: readonly CorrectedEnergy[] } | null
}

export interface EnergyStore {
  readonly corrections: EnergyCorrectionStore
  /**
   * Takes a new counter value. `allocate` is called when the value is really stored, with the counter as last stored,
   * and says which energy belongs where (null: nothing to store). When the history takes no writes the counter stays
   * where it was, so that the next value brings the energy of the gap with it.
   */
  count(
    device: DeviceKey,
    allocate: (last: EnergyCounter | null, largest: () => LargestUse) => CountedEnergy | null,
  ): void
  /** Forgets the counters of a unit and its gangs: the next value of each begins a new one. */
  beginAnew(unit: string): void
  /** Jumps that wait for an answer, the oldest first. */
  jumps(): readonly EnergyJump[]
  /** Ends the wait of a jump and adds the energy that `allocate` makes of it; null where no such jump waits. */
  settle(id: number, allocate: (jump: EnergyJump) => readonly EnergyAmount[]): EnergyJump | null
  /** All devices that energy is known of, also those that left the house. */
  devices(): ReadonlySet<DeviceKey>
  /** Sum of all stored costs in the currency and the first month (YYYYMM) that has one, or null without any. */
  priced(): { readonly cost: number; readonly since: number } | null
  /** Adds energy of the past that no counter reported. */
  add(device: DeviceKey, amounts: readonly EnergyAmount[]): void
  /** Sums over the devices by day or month: `from` and `to` are such keys, both inclusive. Oldest first. */
  sums(grain: 'day' | 'month', devices: readonly DeviceKey[], from: number, to: number): readonly EnergySum[]
  /**
   * Sums over the devices by quarter, `from` inclusive, `to` exclusive, oldest first. Their price is not stored: it is
   * -1.
   */
  quarters(devices: readonly DeviceKey[], from: number, to: number): readonly EnergySum[]
  /** The first local day (YYYYMMDD) whose quarters are all still held, 0 where none were forgotten yet. */
  firstDay(): number
  /** What the day and month sums were made with (time zone and prices), or null before the first. */
  basis(): string | null
  /** Makes a second set of day and month sums beside the one in use; a rebuild that was under way is dropped. */
  rebuild(basis: string): EnergyRebuild
  /**
   * Forgets quarters before `before`, the start of the local day `day`, of one device after the other; true when
   * nothing was left to forget.
   */
  forgetQuarters(before: number, day: number): boolean
  each(from: number, to: number): Iterable<{ readonly device: DeviceKey; readonly at: number; readonly mwh: number }>
}

export interface EnergyRebuild {
  /** Devices whose sums are not made yet, or had new energy since. */
  pending(): readonly DeviceKey[]
  /** Makes the sums of one device anew from its quarters; days whose quarters are no longer held keep what they had. */
  device(device: DeviceKey, place: PlaceQuarter): void
  /** Puts the new sums in place of the old ones. Throws while devices are pending. */
  finish(): void
}
