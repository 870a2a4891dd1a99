import type { StoredPin, TabletPinStore } from '../../auth/persons/tablet-pins.ts'
import { Columns, CoreStore } from './columns.ts'

const PIN = new Columns('integration', 'pin', 'tries', 'steady_rests_until')

/** Hashes of the PINs of wall tablets in core.db, with their tries. */
export class SqliteTabletPins extends CoreStore implements TabletPinStore {
  get(integration: string): StoredPin | undefined {
    return this.db
      .prepare<[string], StoredPin>(`SELECT ${PIN.fields} FROM tablet_pins WHERE integration = ?`)
      .get(integration)
  }

  set(integration: string, pin: string | null): void {
    this.db.prepare('DELETE FROM tablet_pins WHERE integration = ?').run(integration)
    if (pin === null) return
    this.db.prepare(`INSERT INTO tablet_pins ${PIN.values}`).run({ integration, pin, tries: 0, steadyRestsUntil: 0 })
  }

  tried(integration: string, tries: number, steadyRestsUntil: number): void {
    this.db
      .prepare('UPDATE tablet_pins SET tries = ?, steady_rests_until = ? WHERE integration = ?')
      .run(tries, steadyRestsUntil, integration)
  }
}
