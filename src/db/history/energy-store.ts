import { type DeviceKey, parseDeviceKey } from '../../home/model/device.ts'
import type {
  CountedEnergy,
  EnergyAmount,
  CounterReading,
  EnergyJump,
  EnergyRebuild,
  EnergyStore,
  EnergySum,
  LargestUse,
} from '../../home/ports/energy-store.ts'
import { EnergyJumpStore, SqliteEnergyCorrections } from './energy-corrections.ts'
import { EnergySums, SqliteEnergyRebuild } from './energy-sums.ts'
import { type HistoryParts, paged } from './history-parts.ts'
import { DEVICE } from './subject-numbers.ts'

/** Rows per read of an export. */
const EXPORT_ROWS = 500
const FORGOTTEN_PER_STEP = 2_000

/** A counter with the number of its physical unit: 0, plus one for each replacement. */
interface OwnedCounter extends CounterReading {
  readonly owner: number
}

/** Energy in history.db: quarters of an hour, and sums by day and month in one of two sets (`gen`). */
export class SqliteEnergyStore implements EnergyStore {
  readonly corrections: SqliteEnergyCorrections
  readonly #parts: HistoryParts
  readonly #sumsOf: EnergySums
  readonly #jumps: EnergyJumpStore
  readonly #counters = new Map<DeviceKey, OwnedCounter>()
  /** Number of replacements of each unit since the start. */
  readonly #owners = new Map<string, number>()
  /** Time before which this process knows of no quarters. */
  #forgottenBefore = -Infinity
  readonly #sums

  constructor(parts: HistoryParts) {
    const { db } = parts
    this.#parts = parts
    this.#sumsOf = new EnergySums(parts)
    this.#jumps = new EnergyJumpStore(parts, this.#sumsOf)
    this.corrections = new SqliteEnergyCorrections(parts, this.#sumsOf)
    this.#sums = {
      day: db.prepare<Sums, EnergySum>(sumsSql('energy_days', 'day')),
      month: db.prepare<Sums, EnergySum>(sumsSql('energy_months', 'month')),
    }
    this.#reload()
    db.onReset(() => this.#reload())
  }

  count(
    device: DeviceKey,
    allocate: (last: CounterReading | null, largest: () => LargestUse) => CountedEnergy | null,
  ): void {
    const owner = this.#ownerOf(device)
    this.#parts.writer.add(() => {
      const last = this.#counters.get(device)
      const own = last === undefined || last.owner !== owner ? null : { mwh: last.mwh, at: last.at }
      const stored = allocate(own, () => this.#sumsOf.largest(device))
      if (stored === null) return
      this.#parts.db
        .prepare('INSERT OR REPLACE INTO energy_counters (device, mwh, at) VALUES (?, ?, ?)')
        .run(this.#parts.names.device(device), stored.counter.mwh, stored.counter.at)
      this.#counters.set(device, { ...stored.counter, owner })
      this.#sumsOf.add(device, stored.amounts)
      if (stored.jump !== undefined) this.#jumps.add(device, stored.jump)
    })
  }

  resetCounters(unit: string): void {
    // Values of the old unit may still wait to be stored. The number separates old and new values, even while the
    // history accepts no writes.
    this.#owners.set(unit, (this.#owners.get(unit) ?? 0) + 1)
    this.#parts.writer.add(() => {
      for (const device of this.#counters.keys()) {
        if (parseDeviceKey(device).unit !== unit) continue
        this.#parts.db.prepare('DELETE FROM energy_counters WHERE device = ?').run(this.#parts.names.device(device))
        this.#counters.delete(device)
      }
    })
  }

  jumps(): readonly EnergyJump[] {
    return this.#jumps.list()
  }

  settle(id: number, allocate: (jump: EnergyJump) => readonly EnergyAmount[]): EnergyJump | null {
    return this.#jumps.settle(id, allocate)
  }

  add(device: DeviceKey, amounts: readonly EnergyAmount[]): void {
    this.#parts.writer.add(() => this.#sumsOf.add(device, amounts))
  }

  devices(): ReadonlySet<DeviceKey> {
    return this.#sumsOf.devices
  }

  priced(): { readonly cost: number; readonly since: number } | null {
    this.#parts.writer.flush()
    const row = this.#parts.db
      .prepare<[number], { cost: number; since: number | null }>(
        'SELECT total(1.0 * mwh * price) / 1e12 AS cost, min(month) AS since FROM energy_months WHERE gen = ? AND price >= 0',
      )
      .get(this.#sumsOf.gen)
    return row === undefined || row.since === null ? null : { cost: row.cost, since: row.since }
  }

  sums(grain: 'day' | 'month', devices: readonly DeviceKey[], from: number, to: number): readonly EnergySum[] {
    this.#parts.writer.flush()
    return this.#sums[grain].all({ gen: this.#sumsOf.gen, devices: this.#numbers(devices), from, to })
  }

  quarters(devices: readonly DeviceKey[], from: number, to: number): readonly EnergySum[] {
    this.#parts.writer.flush()
    return this.#parts.db
      .prepare<Omit<Sums, 'gen'>, EnergySum>(`
      SELECT at AS key, -1 AS price, sum(mwh) AS mwh FROM energy_quarters
      WHERE device IN (SELECT value FROM json_each(@devices)) AND at >= @from AND at < @to GROUP BY at ORDER BY at`)
      .all({ devices: this.#numbers(devices), from, to })
  }

  firstDay(): number {
    return this.#sumsOf.firstDay()
  }

  basis(): string | null {
    return this.#parts.db.meta('energy_basis') ?? null
  }

  rebuild(basis: string): EnergyRebuild {
    this.#parts.writer.flush()
    const { gen, devices } = this.#sumsOf
    const plan = { basis, from: gen, to: 1 - gen, firstDay: this.firstDay(), devices: [...devices] }
    const rebuild = new SqliteEnergyRebuild({
      ...this.#parts,
      plan,
      finished: () => {
        this.#sumsOf.gen = plan.to
        this.#sumsOf.rebuild = null
      },
    })
    this.#sumsOf.rebuild = rebuild
    return rebuild
  }

  forgetQuarters(before: number, day: number): boolean {
    // Called every minute, with work once a day.
    if (before <= this.#forgottenBefore) return true
    return this.#parts.writer.now(() => {
      this.#parts.db.setMeta('energy_first_day', String(Math.max(day, this.firstDay())))
      const remove = this.#parts.db.prepare<[number, number, number]>(
        'DELETE FROM energy_quarters WHERE (device, at) IN (SELECT device, at FROM energy_quarters WHERE device = ? AND at < ? LIMIT ?)',
      )
      let left = FORGOTTEN_PER_STEP
      for (const device of this.#sumsOf.devices)
        left -= remove.run(this.#parts.names.device(device), before, left).changes
      if (left > 0) this.#forgottenBefore = before
      return left > 0
    })
  }

  *iterate(
    from: number,
    to: number,
  ): Iterable<{ readonly device: DeviceKey; readonly at: number; readonly mwh: number }> {
    this.#parts.writer.flush()
    const forward = this.#parts.db.prepare<[number, number, number, number], { at: number; mwh: number }>(
      'SELECT at, mwh FROM energy_quarters WHERE device = ? AND at >= ? AND at < ? ORDER BY at LIMIT ?',
    )
    for (const device of this.#sumsOf.devices) {
      const number = this.#parts.names.device(device)
      for (const row of paged<{ at: number; mwh: number }>((last) =>
        forward.all(number, last === undefined ? from : last.at + 1, to, EXPORT_ROWS),
      ))
        yield { device, ...row }
    }
  }

  #numbers(devices: readonly DeviceKey[]): string {
    return JSON.stringify(devices.flatMap((device) => this.#parts.names.findDevice(device) ?? []))
  }

  /** A counter that is unchanged in memory keeps its owner. */
  #reload(): void {
    this.#sumsOf.reload()
    this.#forgottenBefore = -Infinity
    const before = new Map(this.#counters)
    this.#counters.clear()
    const rows = this.#parts.db
      .prepare<[], { device: DeviceKey; mwh: number; at: number }>(
        `SELECT ${DEVICE} AS device, c.mwh, c.at FROM energy_counters c JOIN subjects s ON s.id = c.device`,
      )
      .all()
    for (const { device, mwh, at } of rows) {
      const known = before.get(device)
      const owner = known?.mwh === mwh && known.at === at ? known.owner : 0
      this.#counters.set(device, { mwh, at, owner })
    }
  }

  #ownerOf(device: DeviceKey): number {
    return this.#owners.get(parseDeviceKey(device).unit) ?? 0
  }
}

interface Sums {
  readonly gen: number
  readonly devices: string
  readonly from: number
  readonly to: number
}

function sumsSql(table: string, key: string): string {
  return `
    SELECT ${key} AS key, price, sum(mwh) AS mwh FROM ${table}
    WHERE gen = @gen AND device IN (SELECT value FROM json_each(@devices)) AND ${key} >= @from AND ${key} <= @to
    GROUP BY ${key}, price ORDER BY ${key}, price`
}
