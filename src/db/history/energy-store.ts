import type { SubjectKey } from '../../home/model/activity.ts'
import type { DeviceKey } from '../../home/model/device.ts'
import type {
  EnergyAmount,
  EnergyCounter,
  EnergyRebuild,
  EnergyStore,
  EnergySum,
} from '../../home/ports/history-store.ts'
import { SqliteEnergyRebuild } from './energy-rebuild.ts'
import type { HistoryParts } from './history-parts.ts'

/** Rows read at once by an export. */
const EXPORT_ROWS = 500
const FORGOTTEN_PER_STEP = 2_000

/** Energy in history.db: quarters of an hour, and sums by day and month in one of two sets (`gen`). */
export class SqliteEnergyStore implements EnergyStore {
  readonly #parts: HistoryParts
  readonly #counters = new Map<DeviceKey, EnergyCounter>()
  #gen = 0
  /** No quarter is older, as far as this process has looked. */
  #forgottenBefore = -Infinity
  #rebuild: SqliteEnergyRebuild | null = null
  readonly #setCounter
  readonly #addQuarter
  readonly #addDay
  readonly #addMonth
  readonly #sums
  readonly #quarters

  constructor(parts: HistoryParts) {
    const { db } = parts
    this.#parts = parts
    this.#setCounter = db.prepare<[number, number, number]>(
      'INSERT OR REPLACE INTO energy_counters (device, mwh, at) VALUES (?, ?, ?)',
    )
    this.#addQuarter = db.prepare<[number, number, number]>(
      'INSERT INTO energy_quarters (device, at, mwh) VALUES (?, ?, ?) ON CONFLICT (device, at) DO UPDATE SET mwh = mwh + excluded.mwh',
    )
    this.#addDay = db.prepare<[number, number, number, number, number]>(
      'INSERT INTO energy_days (gen, device, day, price, mwh) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET mwh = mwh + excluded.mwh',
    )
    this.#addMonth = db.prepare<[number, number, number, number, number]>(
      'INSERT INTO energy_months (gen, device, month, price, mwh) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET mwh = mwh + excluded.mwh',
    )
    this.#sums = {
      day: db.prepare<Sums, EnergySum>(sumsSql('energy_days', 'day')),
      month: db.prepare<Sums, EnergySum>(sumsSql('energy_months', 'month')),
    }
    this.#quarters = db.prepare<Omit<Sums, 'gen'>, EnergySum>(`
      SELECT at AS key, -1 AS price, sum(mwh) AS mwh FROM energy_quarters
      WHERE device IN (SELECT value FROM json_each(@devices)) AND at >= @from AND at < @to GROUP BY at ORDER BY at`)
    this.#reload()
    db.onReset(() => this.#reload())
  }

  count(
    device: DeviceKey,
    allocate: (
      last: EnergyCounter | null,
    ) => { readonly counter: EnergyCounter; readonly amounts: readonly EnergyAmount[] } | null,
  ): void {
    this.#parts.writer.add(() => {
      const stored = allocate(this.#counters.get(device) ?? null)
      if (stored === null) return
      this.#setCounter.run(this.#parts.names.number(`device:${device}`), stored.counter.mwh, stored.counter.at)
      this.#counters.set(device, stored.counter)
      this.#addAll(device, stored.amounts)
    })
  }

  add(device: DeviceKey, amounts: readonly EnergyAmount[]): void {
    this.#parts.writer.add(() => this.#addAll(device, amounts))
  }

  #addAll(device: DeviceKey, amounts: readonly EnergyAmount[]): void {
    const number = this.#parts.names.number(`device:${device}`)
    for (const { quarter, day, price, mwh } of amounts) {
      this.#addQuarter.run(number, quarter, mwh)
      this.#addDay.run(this.#gen, number, day, price, mwh)
      this.#addMonth.run(this.#gen, number, Math.floor(day / 100), price, mwh)
    }
    if (amounts.length > 0) this.#rebuild?.touch(device)
  }

  sums(grain: 'day' | 'month', devices: readonly DeviceKey[], from: number, to: number): readonly EnergySum[] {
    this.#parts.writer.flush()
    return this.#sums[grain].all({ gen: this.#gen, devices: this.#numbers(devices), from, to })
  }

  quarters(devices: readonly DeviceKey[], from: number, to: number): readonly EnergySum[] {
    this.#parts.writer.flush()
    return this.#quarters.all({ devices: this.#numbers(devices), from, to })
  }

  firstDay(): number {
    return Number(this.#meta('energy_first_day') ?? 0)
  }

  basis(): string | null {
    return this.#meta('energy_basis')
  }

  rebuild(basis: string): EnergyRebuild {
    this.#parts.writer.flush()
    const plan = { basis, from: this.#gen, to: 1 - this.#gen, firstDay: this.firstDay(), devices: this.#devices() }
    const rebuild = new SqliteEnergyRebuild({
      ...this.#parts,
      plan,
      finished: () => {
        this.#gen = plan.to
        this.#rebuild = null
      },
    })
    this.#rebuild = rebuild
    return rebuild
  }

  forgetQuarters(before: number, day: number): boolean {
    // Asked every minute, and there is something once a day.
    if (before <= this.#forgottenBefore) return true
    return this.#parts.writer.now(() => {
      this.#parts.db
        .prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
        .run('energy_first_day', String(Math.max(day, this.firstDay())))
      const remove = this.#parts.db.prepare<[number, number, number]>(
        'DELETE FROM energy_quarters WHERE (device, at) IN (SELECT device, at FROM energy_quarters WHERE device = ? AND at < ? LIMIT ?)',
      )
      let left = FORGOTTEN_PER_STEP
      for (const device of this.#devices())
        left -= remove.run(this.#parts.names.number(`device:${device}`), before, left).changes
      if (left > 0) this.#forgottenBefore = before
      return left > 0
    })
  }

  *each(from: number, to: number): Iterable<{ readonly device: DeviceKey; readonly at: number; readonly mwh: number }> {
    this.#parts.writer.flush()
    const forward = this.#parts.db.prepare<[number, number, number, number], { at: number; mwh: number }>(
      'SELECT at, mwh FROM energy_quarters WHERE device = ? AND at >= ? AND at < ? ORDER BY at LIMIT ?',
    )
    for (const device of this.#devices()) {
      let next = from
      for (;;) {
        const rows = forward.all(this.#parts.names.number(`device:${device}`), next, to, EXPORT_ROWS)
        for (const row of rows) yield { device, ...row }
        const last = rows.at(-1)
        if (last === undefined) break
        next = last.at + 1
      }
    }
  }

  /** Devices with stored energy, found by one index seek each instead of a scan of all days. */
  #devices(): readonly DeviceKey[] {
    const numbers = this.#parts.db
      .prepare<[{ gen: number }], number>(`
      WITH RECURSIVE found (device) AS (
        SELECT min(device) FROM energy_days WHERE gen = @gen
        UNION ALL SELECT (SELECT min(device) FROM energy_days WHERE gen = @gen AND device > found.device) FROM found WHERE device IS NOT NULL
      ) SELECT device FROM found WHERE device IS NOT NULL`)
      .pluck()
      .all({ gen: this.#gen })
    return numbers.map((number) => this.#parts.names.key(number).slice('device:'.length))
  }

  #meta(key: string): string | null {
    return (
      this.#parts.db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?').get(key)?.value ??
      null
    )
  }

  #numbers(devices: readonly DeviceKey[]): string {
    return JSON.stringify(devices.flatMap((device) => this.#parts.names.find(`device:${device}`) ?? []))
  }

  #reload(): void {
    this.#gen = Number(this.#meta('energy_gen') ?? 0)
    this.#forgottenBefore = -Infinity
    this.#counters.clear()
    const rows = this.#parts.db
      .prepare<[], { key: SubjectKey; mwh: number; at: number }>(
        'SELECT s.key, c.mwh, c.at FROM energy_counters c JOIN subjects s ON s.id = c.device',
      )
      .all()
    for (const { key, mwh, at } of rows) this.#counters.set(key.slice('device:'.length), { mwh, at })
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
