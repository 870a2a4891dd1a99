import type { SteadyMark, SteadyStore } from '../../auth/credentials/steady-time.ts'
import { type Cause, GATEWAY_CAUSE, type HeldMode } from '../../home/model/events.ts'
import type { HeldModeStore } from '../../home/ports/house-store.ts'
import type { TariffStore } from '../../home/ports/energy-store.ts'
import { readCell } from '../database.ts'
import { CoreStore } from './columns.ts'

/** The last stored mark of steady time, one row of core.db. */
export class SqliteSteady extends CoreStore implements SteadyStore {
  read(): SteadyMark | null {
    return this.db.prepare<[], SteadyMark>('SELECT steady, wall, boot, uptime FROM steady_time').get() ?? null
  }

  write({ steady, wall, boot, uptime }: SteadyMark): void {
    this.db
      .prepare('INSERT OR REPLACE INTO steady_time (one, steady, wall, boot, uptime) VALUES (1, ?, ?, ?, ?)')
      .run(steady, wall, boot, uptime)
  }
}

/** The tariff in core.db: one row, or none. */
export class SqliteTariff extends CoreStore implements TariffStore {
  load(): unknown {
    const row = this.db.prepare<[], { content: string }>('SELECT content FROM tariff').get()
    return row === undefined ? null : readCell<unknown>(row.content, null)
  }

  save(content: unknown): void {
    this.db.prepare('INSERT OR REPLACE INTO tariff (one, content) VALUES (1, ?)').run(JSON.stringify(content))
  }

  clear(): void {
    this.db.prepare('DELETE FROM tariff').run()
  }
}

type ModeRow = Omit<HeldMode, 'cause'> & { readonly cause: string }

/** The mode that holds: one row of core.db, or none before the first change. */
export class SqliteMode extends CoreStore implements HeldModeStore {
  load(): HeldMode | null {
    const row = this.db.prepare<[], ModeRow>('SELECT mode, since, until, previous, cause FROM held_mode').get()
    return row === undefined ? null : { ...row, cause: readCell<Cause>(row.cause, GATEWAY_CAUSE) }
  }

  save({ mode, since, until, previous, cause }: HeldMode): void {
    this.db
      .prepare('INSERT OR REPLACE INTO held_mode (one, mode, since, until, previous, cause) VALUES (1, ?, ?, ?, ?, ?)')
      .run(mode, since, until, previous, JSON.stringify(cause))
  }
}
