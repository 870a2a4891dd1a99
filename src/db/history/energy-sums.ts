import type { DeviceKey } from '../../home/model/device.ts'
import type { EnergyAmount, EnergyRebuild, LargestUse, PlaceQuarter } from '../../home/ports/energy-store.ts'
import type { HistoryParts } from './history-parts.ts'

/** Energy by quarter, day and month of each device; every write runs inside a transaction of the caller. */
export class EnergySums {
  /** The day and month sums in use. */
  gen = 0
  /** The second set during a rebuild. */
  rebuild: SqliteEnergyRebuild | null = null
  readonly devices = new Set<DeviceKey>()
  readonly #parts: HistoryParts

  constructor(parts: HistoryParts) {
    this.#parts = parts
    this.reload()
  }

  /** Reads the cached state again: after a rollback, or with a new file. */
  reload(): void {
    this.gen = Number(this.#parts.db.meta('energy_gen') ?? 0)
    this.devices.clear()
    for (const device of this.#storedDevices()) this.devices.add(device)
  }

  /** The first local day (YYYYMMDD) with all its quarters, 0 if none were deleted yet. */
  firstDay(): number {
    return Number(this.#parts.db.meta('energy_first_day') ?? 0)
  }

  add(device: DeviceKey, amounts: readonly EnergyAmount[]): void {
    for (const { quarter, day, price, mwh } of amounts) {
      this.#parts.db
        .prepare(
          'INSERT INTO energy_quarters (device, at, mwh) VALUES (?, ?, ?) ON CONFLICT (device, at) DO UPDATE SET mwh = mwh + excluded.mwh',
        )
        .run(this.#parts.names.device(device), quarter, mwh)
      this.addToDay(device, { day, price, mwh })
    }
  }

  /** Adds to a day and its month only; negative `mwh` subtracts. */
  addToDay(device: DeviceKey, { day, price, mwh }: Omit<EnergyAmount, 'quarter'>): void {
    this.#addTo('energy_days', 'day', [this.#parts.names.device(device), day, price, mwh])
    this.#addTo('energy_months', 'month', [this.#parts.names.device(device), Math.floor(day / 100), price, mwh])
    this.rebuild?.touch(device)
    this.devices.add(device)
  }

  largest(device: DeviceKey): LargestUse {
    const number = this.#parts.names.findDevice(device)
    if (number === undefined) return { dayMwh: 0, quarterMwh: 0 }
    return {
      dayMwh:
        this.#parts.db
          .prepare<[number, number], number>(
            'SELECT max(mwh) FROM (SELECT sum(mwh) AS mwh FROM energy_days WHERE gen = ? AND device = ? GROUP BY day)',
          )
          .pluck()
          .get(this.gen, number) ?? 0,
      quarterMwh:
        this.#parts.db
          .prepare<[number], number>('SELECT max(mwh) FROM energy_quarters WHERE device = ?')
          .pluck()
          .get(number) ?? 0,
    }
  }

  #addTo(table: string, column: string, row: readonly [number, number, number, number]): void {
    this.#parts.db
      .prepare<[number, number, number, number, number]>(
        `INSERT INTO ${table} (gen, device, ${column}, price, mwh) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET mwh = mwh + excluded.mwh`,
      )
      .run(this.gen, ...row)
    const [device, key, price, mwh] = row
    if (mwh >= 0) return
    this.#parts.db
      .prepare<[number, number, number, number]>(
        `DELETE FROM ${table} WHERE gen = ? AND device = ? AND ${column} = ? AND price = ? AND mwh <= 0`,
      )
      .run(this.gen, device, key, price)
  }

  /** Devices with stored energy, found by one index seek each instead of a scan of all days. */
  #storedDevices(): readonly DeviceKey[] {
    const numbers = this.#parts.db
      .prepare<[{ gen: number }], number>(`
      WITH RECURSIVE found (device) AS (
        SELECT min(device) FROM energy_days WHERE gen = @gen
        UNION ALL SELECT (SELECT min(device) FROM energy_days WHERE gen = @gen AND device > found.device) FROM found WHERE device IS NOT NULL
      ) SELECT device FROM found WHERE device IS NOT NULL`)
      .pluck()
      .all({ gen: this.gen })
    return numbers.map((number) => this.#parts.names.deviceAt(number))
  }
}

export interface RebuildPlan {
  readonly basis: string
  /** The set in use and the new set. */
  readonly from: number
  readonly to: number
  readonly firstDay: number
  /** All devices with energy. */
  readonly devices: readonly DeviceKey[]
}

export interface RebuildParts extends HistoryParts {
  readonly plan: RebuildPlan
  /** Runs when the new set is in use. */
  readonly finished: () => void
}

/** Rebuilds the day and month sums, one device at a time; the old set answers until the end. */
export class SqliteEnergyRebuild implements EnergyRebuild {
  readonly #parts: RebuildParts
  readonly #pending: Set<DeviceKey>

  constructor(parts: RebuildParts) {
    const { writer, plan } = parts
    this.#parts = parts
    this.#pending = new Set(plan.devices)
    writer.now(() => this.#clear(plan.to))
  }

  /** Marks a device to be rebuilt again, because energy was added after its sums were made. */
  touch(device: DeviceKey): void {
    this.#pending.add(device)
  }

  pending(): readonly DeviceKey[] {
    return [...this.#pending]
  }

  device(device: DeviceKey, place: PlaceQuarter): void {
    this.#parts.writer.now(() => {
      const number = this.#parts.names.device(device)
      const { from, to, firstDay } = this.#parts.plan
      for (const table of ['energy_days', 'energy_months'])
        this.#parts.db.prepare(`DELETE FROM ${table} WHERE gen = ? AND device = ?`).run(to, number)
      this.#parts.db
        .prepare(
          'INSERT INTO energy_days SELECT ?, device, day, price, mwh FROM energy_days WHERE gen = ? AND device = ? AND day < ?',
        )
        .run(to, from, number, firstDay)
      const insert = this.#parts.db.prepare<[number, number, number, number, number]>(
        'INSERT INTO energy_days (gen, device, day, price, mwh) VALUES (?, ?, ?, ?, ?)',
      )
      for (const sum of this.#daySums(number, place))
        if (sum.day >= firstDay) insert.run(to, number, sum.day, sum.price, sum.mwh)
      this.#parts.db
        .prepare(`
        INSERT INTO energy_months (gen, device, month, price, mwh)
        SELECT gen, device, day / 100, price, sum(mwh) FROM energy_days WHERE gen = ? AND device = ? GROUP BY day / 100, price`)
        .run(to, number)
    })
    this.#pending.delete(device)
  }

  finish(): void {
    this.#parts.writer.now(() => {
      if (this.#pending.size > 0) throw new Error('Energy was added to a device whose sums were just rebuilt.')
      this.#parts.db.setMeta('energy_gen', String(this.#parts.plan.to))
      this.#parts.db.setMeta('energy_basis', this.#parts.plan.basis)
    })
    this.#parts.finished()
    this.#parts.writer.now(() => this.#clear(this.#parts.plan.from))
  }

  #daySums(number: number, place: PlaceQuarter): Iterable<{ day: number; price: number; mwh: number }> {
    const sums = new Map<string, { day: number; price: number; mwh: number }>()
    const rows = this.#parts.db
      .prepare<[number], { at: number; mwh: number }>(
        'SELECT at, mwh FROM energy_quarters WHERE device = ? ORDER BY at',
      )
      .iterate(number)
    for (const { at, mwh } of rows) {
      const { day, price } = place(at)
      const key = `${day} ${price}`
      const sum = sums.get(key)
      if (sum === undefined) sums.set(key, { day, price, mwh })
      else sum.mwh += mwh
    }
    return sums.values()
  }

  #clear(gen: number): void {
    for (const table of ['energy_days', 'energy_months'])
      this.#parts.db.prepare(`DELETE FROM ${table} WHERE gen = ?`).run(gen)
  }
}
