import type { DeviceKey } from '../../home/model/device.ts'
import type { EnergyRebuild } from '../../home/ports/energy-store.ts'
import type { HistoryParts } from './history-parts.ts'

export interface RebuildPlan {
  readonly basis: string
  /** The set in use and the set that is made. */
  readonly from: number
  readonly to: number
  readonly firstDay: number
  /** All devices that energy is known of. */
  readonly devices: readonly DeviceKey[]
}

export interface RebuildParts extends HistoryParts {
  readonly plan: RebuildPlan
  /** Runs when the set that was made is in use. */
  readonly finished: () => void
}

/** Makes the other set of day and month sums, a device at a time; the set in use answers until it is finished. */
export class SqliteEnergyRebuild implements EnergyRebuild {
  readonly #parts: RebuildParts
  readonly #pending: Set<DeviceKey>

  constructor(parts: RebuildParts) {
    const { writer, plan } = parts
    this.#parts = parts
    this.#pending = new Set(plan.devices)
    writer.now(() => this.#clear(plan.to))
  }

  /** Marks a device to be made again, because energy was added to it after its sums were made. */
  touch(device: DeviceKey): void {
    this.#pending.add(device)
  }

  pending(): readonly DeviceKey[] {
    return [...this.#pending]
  }

  device(device: DeviceKey, place: (quarter: number) => { readonly day: number; readonly price: number }): void {
    this.#parts.writer.now(() => {
      const number = this.#parts.names.number(`device:${device}`)
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
      if (this.#pending.size > 0) throw new Error('Energy came for a device whose sums were just made anew.')
      const set = this.#parts.db.prepare<[string, string]>('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
      set.run('energy_gen', String(this.#parts.plan.to))
      set.run('energy_basis', this.#parts.plan.basis)
    })
    this.#parts.finished()
    this.#parts.writer.now(() => this.#clear(this.#parts.plan.from))
  }

  #daySums(
    number: number,
    place: (quarter: number) => { readonly day: number; readonly price: number },
  ): Iterable<{ day: number; price: number; mwh: number }> {
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
