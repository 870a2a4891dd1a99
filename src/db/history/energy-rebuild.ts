import type { DeviceKey } from '../../home/model/device.ts'
import type { EnergyRebuild } from '../../home/ports/history-store.ts'
import type { Db } from '../database.ts'
import type { HistoryWriter } from './history-writer.ts'
import type { Names } from './names.ts'

export interface RebuildPlan {
  readonly basis: string
  /** The set in use and the set that is made. */
  readonly from: number
  readonly to: number
  readonly firstDay: number
  /** All devices that energy is known of. */
  readonly devices: readonly DeviceKey[]
}

/** Makes the other set of day and month sums, a device at a time; the set in use answers until it is finished. */
export class SqliteEnergyRebuild implements EnergyRebuild {
  readonly #db: Db
  readonly #writer: HistoryWriter
  readonly #names: Names
  readonly #plan: RebuildPlan
  readonly #finished: () => void
  readonly #pending: Set<DeviceKey>

  constructor(db: Db, writer: HistoryWriter, names: Names, plan: RebuildPlan, finished: () => void) {
    this.#db = db
    this.#writer = writer
    this.#names = names
    this.#plan = plan
    this.#finished = finished
    this.#pending = new Set(plan.devices)
    writer.now(() => this.#clear(plan.to))
  }

  /** New energy came for a device: what was made for it is no longer whole. */
  touch(device: DeviceKey): void {
    this.#pending.add(device)
  }

  pending(): readonly DeviceKey[] {
    return [...this.#pending]
  }

  device(device: DeviceKey, place: (quarter: number) => { readonly day: number; readonly price: number }): void {
    this.#writer.now(() => {
      const number = this.#names.number(`device:${device}`)
      const { from, to, firstDay } = this.#plan
      for (const table of ['energy_days', 'energy_months'])
        this.#db.prepare(`DELETE FROM ${table} WHERE gen = ? AND device = ?`).run(to, number)
      this.#db
        .prepare(
          'INSERT INTO energy_days SELECT ?, device, day, price, mwh FROM energy_days WHERE gen = ? AND device = ? AND day < ?',
        )
        .run(to, from, number, firstDay)
      const insert = this.#db.prepare<[number, number, number, number, number]>(
        'INSERT INTO energy_days (gen, device, day, price, mwh) VALUES (?, ?, ?, ?, ?)',
      )
      for (const sum of this.#daySums(number, place))
        if (sum.day >= firstDay) insert.run(to, number, sum.day, sum.price, sum.mwh)
      this.#db
        .prepare(`
        INSERT INTO energy_months (gen, device, month, price, mwh)
        SELECT gen, device, day / 100, price, sum(mwh) FROM energy_days WHERE gen = ? AND device = ? GROUP BY day / 100, price`)
        .run(to, number)
    })
    this.#pending.delete(device)
  }

  finish(): void {
    this.#writer.now(() => {
      if (this.#pending.size > 0) throw new Error('Energy came for a device whose sums were just made anew.')
      const set = this.#db.prepare<[string, string]>('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
      set.run('energy_gen', String(this.#plan.to))
      set.run('energy_basis', this.#plan.basis)
    })
    this.#finished()
    this.#writer.now(() => this.#clear(this.#plan.from))
  }

  #daySums(
    number: number,
    place: (quarter: number) => { readonly day: number; readonly price: number },
  ): Iterable<{ day: number; price: number; mwh: number }> {
    const sums = new Map<string, { day: number; price: number; mwh: number }>()
    const rows = this.#db
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
      this.#db.prepare(`DELETE FROM ${table} WHERE gen = ?`).run(gen)
  }
}
