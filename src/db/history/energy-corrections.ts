import type { DeviceKey } from '../../home/model/device.ts'
import type {
  CorrectedEnergy,
  CorrectedRange,
  EnergyAmount,
  EnergyCorrection,
  EnergyCorrectionStore,
  EnergyJump,
  PlaceQuarter,
} from '../../home/ports/energy-store.ts'
import type { EnergySums } from './energy-sums.ts'
import type { HistoryParts } from './history-parts.ts'
import { DEVICE } from './subject-numbers.ts'

/** Number of corrections that can be undone; older removed energy is lost. */
export const CORRECTIONS_KEPT_MAX = 100

/** Removes energy from the sums of history.db, stores it, and adds it again. */
export class SqliteEnergyCorrections implements EnergyCorrectionStore {
  readonly #parts: HistoryParts
  readonly #sums: EnergySums

  constructor(parts: HistoryParts, sums: EnergySums) {
    this.#parts = parts
    this.#sums = sums
  }

  within(devices: readonly DeviceKey[], range: CorrectedRange, place: PlaceQuarter): readonly CorrectedEnergy[] {
    this.#parts.writer.flush()
    return devices.flatMap((device) => [...this.#days(device, range.days), ...this.#quarters(device, range, place)])
  }

  takeOut(
    { at, device, from, to, by }: Omit<EnergyCorrection, 'id' | 'mwh'>,
    devices: readonly DeviceKey[],
    range: CorrectedRange,
    place: PlaceQuarter,
  ): { readonly id: number; readonly energy: readonly CorrectedEnergy[] } {
    const { db, writer } = this.#parts
    return writer.now(() => {
      const energy = devices.flatMap((device) => [
        ...this.#days(device, range.days),
        ...this.#quarters(device, range, place),
      ])
      const mwh = energy.reduce((sum, row) => sum + row.mwh, 0)
      const { lastInsertRowid } = db
        .prepare('INSERT INTO energy_corrections (at, device, since, until, mwh, by) VALUES (?, ?, ?, ?, ?, ?)')
        .run(at, this.#parts.names.device(device), from, to, mwh, by)
      const id = Number(lastInsertRowid)
      const keep = db.prepare<[number, number, string, number, number, number]>(
        'INSERT INTO energy_corrected (correction, device, grain, key, price, mwh) VALUES (?, ?, ?, ?, ?, ?)',
      )
      for (const row of energy) {
        keep.run(id, this.#parts.names.device(row.device), row.grain, row.key, row.price, row.mwh)
        const day = row.grain === 'day' ? row.key : place(row.key).day
        this.#sums.addToDay(row.device, { day, price: row.price, mwh: -row.mwh })
      }
      const removeQuarters = db.prepare<[number, number, number]>(
        'DELETE FROM energy_quarters WHERE device = ? AND at >= ? AND at < ?',
      )
      for (const device of devices) removeQuarters.run(this.#parts.names.device(device), from, to)
      this.#forgetOldest()
      return { id, energy }
    })
  }

  list(): readonly EnergyCorrection[] {
    this.#parts.writer.flush()
    return this.#parts.db.prepare<[], EnergyCorrection>(`${CORRECTIONS} ORDER BY c.id DESC`).all()
  }

  undo(
    id: number,
    place: PlaceQuarter,
  ): { readonly correction: EnergyCorrection; readonly energy: readonly CorrectedEnergy[] } | null {
    const { db, writer } = this.#parts
    return writer.now(() => {
      const correction = db.prepare<[number], EnergyCorrection>(`${CORRECTIONS} WHERE c.id = ?`).get(id)
      if (correction === undefined) return null
      const energy = db
        .prepare<[number], CorrectedEnergy>(ENERGY)
        .all(id)
        .map((row) => putBackOf(row, place))
      for (const amount of energy) this.#putBack(amount, place)
      this.#forget(id)
      return { correction, energy }
    })
  }

  #putBack({ device, grain, key, price, mwh }: CorrectedEnergy, place: PlaceQuarter): void {
    if (grain === 'day') return this.#sums.addToDay(device, { day: key, price, mwh })
    const { day } = place(key)
    // Deleted quarters of a day are known only as its sum.
    if (day < this.#sums.firstDay()) return this.#sums.addToDay(device, { day, price, mwh })
    this.#sums.add(device, [{ quarter: key, day, price, mwh }])
  }

  #days(device: DeviceKey, days: CorrectedRange['days']): readonly CorrectedEnergy[] {
    const number = this.#parts.names.findDevice(device)
    if (days === null || number === undefined) return []
    return this.#parts.db
      .prepare<[number, number, number, number], { day: number; price: number; mwh: number }>(
        'SELECT day, price, mwh FROM energy_days WHERE gen = ? AND device = ? AND day >= ? AND day <= ?',
      )
      .all(this.#sums.gen, number, days.from, days.to)
      .map(({ day, price, mwh }) => ({ device, grain: 'day' as const, key: day, price, mwh }))
  }

  #quarters(device: DeviceKey, { quarters }: CorrectedRange, place: PlaceQuarter): readonly CorrectedEnergy[] {
    const number = this.#parts.names.findDevice(device)
    if (number === undefined) return []
    return this.#parts.db
      .prepare<[number, number, number], { at: number; mwh: number }>(
        'SELECT at, mwh FROM energy_quarters WHERE device = ? AND at >= ? AND at < ?',
      )
      .all(number, quarters.from, quarters.to)
      .map(({ at, mwh }) => ({ device, grain: 'quarter' as const, key: at, price: place(at).price, mwh }))
  }

  #forgetOldest(): void {
    const ids = this.#parts.db.prepare<[], number>('SELECT id FROM energy_corrections ORDER BY id DESC').pluck().all()
    for (const id of ids.slice(CORRECTIONS_KEPT_MAX)) this.#forget(id)
  }

  #forget(id: number): void {
    this.#parts.db.prepare('DELETE FROM energy_corrected WHERE correction = ?').run(id)
    this.#parts.db.prepare('DELETE FROM energy_corrections WHERE id = ?').run(id)
  }
}

const CORRECTIONS = `SELECT c.id, c.at, ${DEVICE} AS device, c.since AS "from", c.until AS "to", c.mwh, c.by
  FROM energy_corrections c JOIN subjects s ON s.id = c.device`
const ENERGY = `SELECT ${DEVICE} AS device, c.grain, c.key, c.price, c.mwh
  FROM energy_corrected c JOIN subjects s ON s.id = c.device WHERE c.correction = ?`

/** A quarter returns at the present tariff's price, a day at its own price. */
function putBackOf(row: CorrectedEnergy, place: PlaceQuarter): CorrectedEnergy {
  return row.grain === 'day' ? row : { ...row, price: place(row.key).price }
}

/** Number of separate pending jumps per device; a further one merges into the newest. */
export const JUMPS_WAITING_MAX = 8

/** Counter jumps that wait for an administrator's decision, in history.db. */
export class EnergyJumpStore {
  readonly #parts: HistoryParts
  readonly #sums: EnergySums

  constructor(parts: HistoryParts, sums: EnergySums) {
    this.#parts = parts
    this.#sums = sums
  }

  /** Runs inside a transaction. */
  add(device: DeviceKey, { from, to, mwh }: Omit<EnergyJump, 'id' | 'device'>): void {
    const number = this.#parts.names.device(device)
    const waiting = this.#parts.db
      .prepare<[number], { id: number }>('SELECT id FROM energy_jumps WHERE device = ? ORDER BY id')
      .all(number)
    const newest = waiting.at(-1)
    if (newest !== undefined && waiting.length >= JUMPS_WAITING_MAX) {
      this.#parts.db
        .prepare('UPDATE energy_jumps SET until = max(until, ?), mwh = mwh + ? WHERE id = ?')
        .run(to, mwh, newest.id)
      return
    }
    this.#parts.db
      .prepare('INSERT INTO energy_jumps (device, since, until, mwh) VALUES (?, ?, ?, ?)')
      .run(number, Math.min(from, to), to, mwh)
  }

  list(): readonly EnergyJump[] {
    this.#parts.writer.flush()
    return this.#parts.db.prepare<[], EnergyJump>(`${JUMPS} ORDER BY j.id`).all()
  }

  settle(id: number, allocate: (jump: EnergyJump) => readonly EnergyAmount[]): EnergyJump | null {
    return this.#parts.writer.now(() => {
      const jump = this.#parts.db.prepare<[number], EnergyJump>(`${JUMPS} WHERE j.id = ?`).get(id)
      if (jump === undefined) return null
      this.#parts.db.prepare('DELETE FROM energy_jumps WHERE id = ?').run(id)
      this.#sums.add(jump.device, allocate(jump))
      return jump
    })
  }
}

const JUMPS = `SELECT j.id, ${DEVICE} AS device, j.since AS "from", j.until AS "to", j.mwh
  FROM energy_jumps j JOIN subjects s ON s.id = j.device`
