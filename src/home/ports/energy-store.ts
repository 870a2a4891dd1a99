import type { DeviceKey } from '../model/device.ts'

/** Stores the content of the tariff file. Writes run inside `UnitOfWork.change`. */
export interface TariffStore {
  /** The content as read from the file, or null without a tariff. */
  load(): unknown
  save(content: unknown): void
  clear(): void
}

/** Energy in history.db. All times are epoch ms; `from` is inclusive, `to` exclusive. */

/** A device's counter at its last reading. `mwh` is the unit's own counter in milliwatt-hours. */
export interface CounterReading {
  readonly mwh: number
  readonly at: number
}

/** Energy of one quarter of an hour with its day, month and price (millionths of the currency per kWh, -1 unknown). */
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

/** The largest energy of a device on one day and in one quarter of an hour, 0 if unknown. */
export interface LargestUse {
  readonly dayMwh: number
  readonly quarterMwh: number
}

/** A counter value, the energy that it adds to the sums, and the jump that is left out. */
export interface CountedEnergy {
  readonly counter: CounterReading
  readonly amounts: readonly EnergyAmount[]
  readonly jump?: Omit<EnergyJump, 'id' | 'device'>
}

/** A jump of a counter that waits for an administrator's decision. Its times come from the two readings. */
export interface EnergyJump {
  readonly id: number
  readonly device: DeviceKey
  readonly from: number
  readonly to: number
  readonly mwh: number
}

/** Returns the day and the price of a quarter of an hour in the current sums. */
export type PlaceQuarter = (quarter: number) => Pick<EnergyAmount, 'day' | 'price'>

/**
 * Energy that a correction removes from the sums: of a quarter (`key` is its start) or of a whole local day (YYYYMMDD).
 */
export interface CorrectedEnergy {
  readonly device: DeviceKey
  readonly grain: 'quarter' | 'day'
  readonly key: number
  readonly price: number
  readonly mwh: number
}

/** Range of a correction: quarters by time, `to` exclusive; older whole days by local date, both inclusive. */
export interface CorrectedRange {
  readonly quarters: { readonly from: number; readonly to: number }
  readonly days: { readonly from: number; readonly to: number } | null
}

/** A correction of the sums. `from` and `to` are epoch ms; `device` is the named device, and its gangs are included. */
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
  /** Energy of some devices in a range, as a correction would remove it. */
  within(devices: readonly DeviceKey[], range: CorrectedRange, place: PlaceQuarter): readonly CorrectedEnergy[]
  /** Removes that energy from the sums and stores it. The oldest correction beyond a bound can no longer be undone. */
  takeOut(
    correction: Omit<EnergyCorrection, 'id' | 'mwh'>,
    devices: readonly DeviceKey[],
    range: CorrectedRange,
    place: PlaceQuarter,
  ): { readonly id: number; readonly energy: readonly CorrectedEnergy[] }
  /** Newest first. */
  list(): readonly EnergyCorrection[]
  /** Adds the energy of a correction to the sums again and deletes the correction; null if there is none. */
  undo(
    id: number,
    place: PlaceQuarter,
  ): { readonly correction: EnergyCorrection; readonly energy: readonly CorrectedEnergy[] } | null
}

export interface EnergyStore {
  readonly corrections: EnergyCorrectionStore
  /**
   * Stores a new counter value. The store calls `allocate` at the write with the last stored counter. It returns the
   * energy by quarter, or null to store nothing. If the history accepts no writes, the counter keeps its old value, and
   * the next value brings the energy of the gap.
   */
  count(
    device: DeviceKey,
    allocate: (last: CounterReading | null, largest: () => LargestUse) => CountedEnergy | null,
  ): void
  /** Deletes the counters of a unit and its gangs: the next value of each starts a new one. */
  resetCounters(unit: string): void
  /** Jumps that wait for a decision, oldest first. */
  jumps(): readonly EnergyJump[]
  /** Settles a jump and adds the energy that `allocate` makes of it; null if no such jump waits. */
  settle(id: number, allocate: (jump: EnergyJump) => readonly EnergyAmount[]): EnergyJump | null
  /** All devices with known energy, including those that left the house. */
  devices(): ReadonlySet<DeviceKey>
  /** Sum of all stored costs in the currency and the first month (YYYYMM) that has one, or null without any. */
  priced(): { readonly cost: number; readonly since: number } | null
  /** Adds past energy that no counter reported. */
  add(device: DeviceKey, amounts: readonly EnergyAmount[]): void
  /** Sums over the devices by day or month, oldest first. `from` and `to` are days or months, both inclusive. */
  sums(grain: 'day' | 'month', devices: readonly DeviceKey[], from: number, to: number): readonly EnergySum[]
  /**
   * Sums over the devices by quarter, `from` inclusive, `to` exclusive, oldest first. Their price is -1, because it is
   * not stored.
   */
  quarters(devices: readonly DeviceKey[], from: number, to: number): readonly EnergySum[]
  /** The first local day (YYYYMMDD) whose quarters are all still stored, 0 if none were deleted. */
  firstDay(): number
  /** Time zone and prices of the day and month sums, or null before the first. */
  basis(): string | null
  /** Builds a second set of day and month sums beside the current one. A running rebuild is dropped. */
  rebuild(basis: string): EnergyRebuild
  /** Deletes quarters before `before`, the start of the local day `day`, device by device; true when none are left. */
  forgetQuarters(before: number, day: number): boolean
  iterate(from: number, to: number): Iterable<{ readonly device: DeviceKey; readonly at: number; readonly mwh: number }>
}

export interface EnergyRebuild {
  /** Devices whose sums are not rebuilt yet, or had new energy since. */
  pending(): readonly DeviceKey[]
  /** Rebuilds the sums of one device from its quarters. Days without stored quarters keep their sums. */
  device(device: DeviceKey, place: PlaceQuarter): void
  /** Replaces the old sums by the new ones. Throws while devices are pending. */
  finish(): void
}
