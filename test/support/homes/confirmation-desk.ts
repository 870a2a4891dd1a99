import { onTestFinished } from 'vitest'
import type { AccessEvent } from '../../../src/auth/agents/expiring-requests.ts'
import { Confirmations } from '../../../src/auth/agents/confirmations.ts'
import { Credentials } from '../../../src/auth/credentials/credentials.ts'
import { SteadyTime } from '../../../src/auth/credentials/steady-time.ts'
import { SqliteConfirmations } from '../../../src/db/core/confirmation-store.ts'
import { CoreDb } from '../../../src/db/core/core-db.ts'
import { SqliteCredentials } from '../../../src/db/core/credential-store.ts'
import { SqliteIntegrations } from '../../../src/db/core/integration-store.ts'
import { SqliteSteady } from '../../../src/db/core/single-rows.ts'
import { DEFAULT_KNOBS } from '../../../src/exposure/knobs.ts'
import { Emitter } from '../../../src/lib/emitter.ts'
import { systemRandom } from '../../../src/lib/random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'

const INTEGRATION = 'integration-1'
export const ANNA = { source: 'person', name: 'Anna' } as const

/**
 * Confirmations over a database, with two agents. `restart` drops everything in memory; the clock may have moved
 * meanwhile.
 */
export class ConfirmationDesk {
  readonly clock = new ManualClock()
  readonly events: AccessEvent[] = []
  readonly links: readonly string[]
  readonly #file: string
  #core: CoreDb
  #made: Confirmations

  constructor(file: string) {
    this.#file = file
    this.#core = new CoreDb(file)
    this.#core.change(() =>
      new SqliteIntegrations(this.#core).insert({
        id: INTEGRATION,
        name: 'Agents',
        enabled: true,
        exposure: { expose: 'All' },
        knobs: DEFAULT_KNOBS,
        createdAt: 0,
      }),
    )
    const credentials = this.#credentials(new SteadyTime({ clock: this.clock, store: new SqliteSteady(this.#core) }))
    this.links = ['Claude', 'Other'].map(
      (name) =>
        credentials.create({ integration: INTEGRATION, kind: 'agent', name, platform: 'Desk' }, ANNA).credential.link,
    )
    this.#made = this.#make()
  }

  get confirmations(): Confirmations {
    return this.#made
  }

  restart(): void {
    this.#made.stop()
    if (this.#file !== ':memory:') {
      this.#core.close()
      this.#core = new CoreDb(this.#file)
    }
    this.#made = this.#make()
  }

  close(): void {
    this.#made.stop()
    this.#core.close()
  }

  code(id: string): string {
    const found = this.#made.pending().find((confirmation) => confirmation.id === id)
    if (!found) throw new Error(`${id} does not wait`)
    return found.code
  }

  #make(): Confirmations {
    const steady = new SteadyTime({ clock: this.clock, store: new SqliteSteady(this.#core) })
    const events = new Emitter<AccessEvent>((error) => {
      throw error
    })
    events.on((event) => this.events.push(event))
    return new Confirmations({
      store: new SqliteConfirmations(this.#core),
      credentials: this.#credentials(steady),
      work: this.#core,
      steady,
      clock: this.clock,
      random: systemRandom,
      events,
    })
  }

  #credentials(steady: SteadyTime): Credentials {
    return new Credentials({
      gateway: 'HM1',
      store: new SqliteCredentials(this.#core),
      work: this.#core,
      steady,
      clock: this.clock,
      random: systemRandom,
      changes: { emit: () => {} },
    })
  }
}

/** The calling test closes it. */
export function confirmationDesk(file = ':memory:'): ConfirmationDesk {
  const made = new ConfirmationDesk(file)
  onTestFinished(() => made.close())
  return made
}
