import type { DeviceKey } from '../../home/model/device.ts'
import type { EnergyAmount, EnergyJump } from '../../home/ports/energy-store.ts'
import type { EnergySums } from './energy-sums.ts'
import type { HistoryParts } from './history-parts.ts'

/** Jumps of one device that wait by themselves; a further one joins the newest of them. */
export const JUMPS_WAITING_MAX = 8

/** Jumps of counters that wait for an administrator's answer, in history.db. */
export class EnergyJumps {
  readonly #parts: HistoryParts
  readonly #sums: EnergySums

  constructor(parts: HistoryParts, sums: EnergySums) {
    this.#parts = parts
    this.#sums = sums
  }

  /** Runs inside a transaction. */
  add(device: DeviceKey, { from, to, mwh }: Omit<EnergyJump, 'id' | 'device'>): void {
    const number = this.#parts.names.number(`device:${device}`)
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
    return this.#parts.db.prepare<[], JumpRow>(`${JUMPS} ORDER BY j.id`).all().map(jumpOf)
  }

  settle(id: number, allocate: (jump: EnergyJump) => readonly EnergyAmount[]): EnergyJump | null {
    return this.#parts.writer.now(() => {
      const row = this.#parts.db.prepare<[number], JumpRow>(`${JUMPS} WHERE j.id = ?`).get(id)
      if (row === undefined) return null
      const jump = jumpOf(row)
      this.#parts.db.prepare('DELETE FROM energy_jumps WHERE id = ?').run(id)
      this.#sums.add(jump.device, allocate(jump))
      return jump
    })
  }
}

const JUMPS = 'SELECT j.id, s.key, j.since, j.until, j.mwh FROM energy_jumps j JOIN subjects s ON s.id = j.device'

interface JumpRow {
  readonly id: number
  readonly key: string
  readonly since: number
  readonly until: number
  readonly mwh: number
}

function jumpOf({ id, key, since, until, mwh }: JumpRow): EnergyJump {
  return { id, device: key.slice('device:'.length), from: since, to: until, mwh }
}
