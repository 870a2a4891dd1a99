import { ZoneTime, addDays } from '../../lib/zone-time.ts'
import {
  type TimeRange,
  bucketStarts,
  type BucketKind,
  type EnergyPeriod,
  type Piece,
  BUCKETS_OF,
  bucketKind,
  periodRange,
  pieces,
} from './energy-range.ts'
import { type TariffPlan, tariffOn, NO_PRICE, priceAt } from './tariff.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { DeviceKey } from '../model/device.ts'
import type { EnergyAmount, CounterReading, EnergyStore, PlaceQuarter } from '../ports/energy-store.ts'
import { QUARTER_MS, growthBetween, spread } from './energy-counter.ts'
import { DAY_MS } from '../../lib/durations.ts'

/** Standing charges of the days in a range, in proportion for a part of a day. */
function standing(tariffs: TariffPlan, zone: ZoneTime, range: TimeRange): number {
  let total = 0
  for (const start of range.to > range.from ? bucketStarts(range, 'day', zone) : []) {
    const { day } = zone.at(start)
    const perDay = tariffOn(tariffs, day).standingPerDay
    if (perDay === 0) continue
    const [from, to] = [zone.startOfDay(day), zone.startOfDay(addDays(day, 1))]
    total += (perDay * (Math.min(to, range.to) - start)) / (to - from)
  }
  return total
}

/**
 * Energy of a set of devices. `energy` is Wh to the thousandth, `cost` in the home's currency, null without a tariff.
 */
interface EnergyAnswer {
  readonly from: number
  readonly to: number
  readonly energy: number
  readonly cost: number | null
  /** Name of the tariff in effect at the end of the range, or now if that is in the future; or null. */
  readonly tariff: string | null
  readonly series: readonly EnergyPoint[]
}

interface EnergyPoint {
  readonly at: number
  readonly energy: number
  readonly cost: number | null
}

interface EnergyQuery {
  readonly devices: readonly DeviceKey[]
  readonly range: { readonly period: EnergyPeriod } | TimeRange
  /** True if the cost includes the daily charge: only for the whole house. */
  readonly standing: boolean
}

/** Time zone and tariffs of the sums; both must change together. */
interface Basis {
  readonly zone: ZoneTime
  readonly tariffs: TariffPlan | null
}

/** Pause between two steps of a rebuild, for other requests. */
const REBUILD_PAUSE_MS = 5
/** Quarters of an hour are stored for this many days; days and months for ever. */
const QUARTERS_STORED_DAYS = 400

interface EnergyParts {
  readonly store: EnergyStore
  readonly clock: Clock
  readonly log: Log
  readonly timeZone: string
  readonly tariffs: TariffPlan | null
}

/** Energy and cost of the devices, from their own counters. */
export class Energy {
  readonly #parts: EnergyParts
  #basis: Basis
  #cancelRebuild: (() => void) | null = null

  /** Rebuilds the sums first if they were made with another time zone or other tariffs. */
  constructor(parts: EnergyParts) {
    this.#parts = parts
    this.#basis = { zone: new ZoneTime(parts.timeZone), tariffs: parts.tariffs }
    if (this.#parts.store.basis() !== basisText(this.#basis)) this.#rebuildNow(this.#basis)
  }

  /** Takes a unit's counter: energy in Wh since the unit was new, and its power in W, as reported at `at`. */
  take(device: DeviceKey, energyWh: number, at: number, powerW = 0): void {
    const counter: CounterReading = { mwh: Math.round(energyWh * 1_000), at }
    this.#parts.store.count(device, (last, largest) => {
      if (last === null) return { counter, amounts: [] }
      const { mwh, jumped } = growthBetween(last, { ...counter, powerW }, largest)
      return jumped
        ? { counter, amounts: [], jump: { mwh, from: last.at, to: at } }
        : { counter, amounts: this.amounts(mwh, last.at, at) }
    })
  }

  /** Starts new counters for a unit and its gangs: the id now names another physical unit. */
  resetCounters(unit: string): void {
    this.#parts.store.resetCounters(unit)
  }

  /** Adds energy that was used evenly between two past times and that no counter reported. */
  addPast(device: DeviceKey, mwh: number, from: number, to: number): void {
    this.#parts.store.add(device, this.amounts(mwh, from, to))
  }

  /** Energy used evenly between two times, by quarters of an hour with their day and price. */
  amounts(mwh: number, from: number, to: number): readonly EnergyAmount[] {
    return spread(mwh, from, to).map((share) => ({ ...share, ...this.place(share.quarter) }))
  }

  /** The day and the price of a quarter in the present sums. */
  readonly place: PlaceQuarter = (quarter) => this.#place(this.#basis, quarter)

  /** The time zone of the present sums. */
  get zone(): ZoneTime {
    return this.#basis.zone
  }

  /** Total energy of a device, in Wh. */
  total(device: DeviceKey): number {
    return this.#parts.store.sums('month', [device], 0, 999_999).reduce((sum, { mwh }) => sum + mwh, 0) / 1_000
  }

  /** All stored costs, or null without any. */
  priced(): ReturnType<EnergyStore['priced']> {
    return this.#parts.store.priced()
  }

  /** True if costs are known. */
  get hasTariff(): boolean {
    return this.#basis.tariffs !== null
  }

  /**
   * Changes the time zone or the tariffs. New sums are built in small steps beside the old ones, which answer until the
   * new ones are complete; resolves then. A second call meanwhile replaces this one.
   */
  setBasis(timeZone: string, tariffs: TariffPlan | null): Promise<void> {
    this.#cancelRebuild?.()
    const basis: Basis = { zone: new ZoneTime(timeZone), tariffs }
    let rebuild: ReturnType<EnergyStore['rebuild']> | null = null
    return new Promise((resolve) => {
      let cancelTimer = (): void => {}
      const step = (): void => {
        try {
          rebuild ??= this.#parts.store.rebuild(basisText(basis))
          const [device] = rebuild.pending()
          if (device !== undefined) {
            rebuild.device(device, (quarter) => this.#place(basis, quarter))
            cancelTimer = this.#parts.clock.after(REBUILD_PAUSE_MS, step)
            return
          }
          rebuild.finish()
          this.#basis = basis
        } catch (error) {
          this.#parts.log.error({ err: error }, 'The energy sums could not be rebuilt. The next start tries again.')
        }
        this.#cancelRebuild = null
        resolve()
      }
      this.#cancelRebuild = () => {
        cancelTimer()
        resolve()
      }
      step()
    })
  }

  /** Deletes quarters that are too old at `time`; a small step, true if none were left. */
  forgetOld(time: number): boolean {
    const day = this.#basis.zone.at(time - QUARTERS_STORED_DAYS * DAY_MS).day
    return this.#parts.store.forgetQuarters(this.#basis.zone.startOfDay(day), day)
  }

  answer(query: EnergyQuery): EnergyAnswer {
    const basis = this.#basis
    const now = this.#parts.clock.now()
    const range = 'period' in query.range ? periodRange(query.range.period, basis.zone, now) : query.range
    const tariff =
      basis.tariffs === null
        ? null
        : tariffOn(basis.tariffs, basis.zone.at(Math.min(Math.max(range.from, range.to - 1), now)).day).name
    const kind = 'period' in query.range ? BUCKETS_OF[query.range.period] : bucketKind(range)
    const sums = this.#bySeries(
      query.devices,
      { from: Math.max(range.from, 0), to: Math.min(range.to, now + QUARTER_MS) },
      kind,
    )
    const charge = basis.tariffs !== null && query.standing ? basis.tariffs : null
    const points = sums.map((sum) => ({
      at: sum.from,
      mwh: sum.mwh,
      cost:
        basis.tariffs === null
          ? null
          : sum.cost +
            (charge === null ? 0 : standing(charge, basis.zone, { from: sum.from, to: Math.min(sum.to, now) })),
    }))
    const cost = basis.tariffs === null ? null : points.reduce((total, point) => total + (point.cost ?? 0), 0)
    return {
      ...range,
      energy: points.reduce((total, point) => total + point.mwh, 0) / 1_000,
      cost: rounded(cost),
      tariff,
      series: points.map((point) => ({ at: point.at, energy: point.mwh / 1_000, cost: rounded(point.cost) })),
    }
  }

  #bySeries(
    devices: readonly DeviceKey[],
    requested: TimeRange,
    kind: BucketKind,
  ): readonly { from: number; to: number; mwh: number; cost: number }[] {
    if (requested.to <= requested.from) return []
    const basis = this.#basis
    // Energy is stored by quarters of an hour: a range includes the quarters at its ends.
    const range = {
      from: Math.floor(requested.from / QUARTER_MS) * QUARTER_MS,
      to: Math.ceil(requested.to / QUARTER_MS) * QUARTER_MS,
    }
    const starts = bucketStarts(range, kind, basis.zone)
    const buckets = starts.map((from, index) => ({ from, to: starts[index + 1] ?? range.to, mwh: 0, cost: 0 }))
    const coarsest = kind === 'day' ? 'day' : kind === 'month' || kind === 'year' ? 'month' : 'quarter'
    for (const piece of pieces(range, basis.zone, coarsest, this.#parts.store.firstDay())) {
      let index = 0
      for (const { at, price, mwh } of this.#read(devices, piece)) {
        while (index + 1 < buckets.length && at >= (buckets[index + 1]?.from ?? 0)) index++
        const bucket = buckets[index]
        if (bucket === undefined) continue
        bucket.mwh += mwh
        if (price !== NO_PRICE) bucket.cost += (mwh * price) / 1e12
      }
    }
    return buckets
  }

  /** The sums of a piece, oldest first, each with a time inside its bucket. */
  #read(
    devices: readonly DeviceKey[],
    { grain, from, to }: Piece,
  ): readonly { at: number; price: number; mwh: number }[] {
    const { store } = this.#parts
    if (grain === 'quarter')
      return store.quarters(devices, from, to).map(({ key, mwh }) => ({ at: key, price: this.place(key).price, mwh }))
    const { zone } = this.#basis
    const startOf = (key: number): number => (grain === 'day' ? zone.startOfDay(key) : zone.startOfMonth(key))
    return store.sums(grain, devices, from, to).map(({ key, price, mwh }) => ({ at: startOf(key), price, mwh }))
  }

  #rebuildNow(basis: Basis): void {
    const rebuild = this.#parts.store.rebuild(basisText(basis))
    for (const device of rebuild.pending()) rebuild.device(device, (quarter) => this.#place(basis, quarter))
    rebuild.finish()
  }

  #place(basis: Basis, quarter: number): { readonly day: number; readonly price: number } {
    const time = basis.zone.at(quarter)
    return { day: time.day, price: priceAt(basis.tariffs, time) }
  }
}

function basisText(basis: Basis): string {
  const tariffs = basis.tariffs?.tariffs.map((tariff) => ({
    since: tariff.since,
    rates: tariff.rates.map(({ price, window }) => ({
      price,
      window: window === null ? null : { ...window, days: [...window.days] },
    })),
  }))
  return JSON.stringify({ zone: basis.zone.zone, tariffs: tariffs ?? null })
}

/** Rounds to a millionth, which removes the floating point error of the sum. */
function rounded(cost: number | null): number | null {
  return cost === null ? null : Math.round(cost * 1e6) / 1e6
}
