import type { AccessEvent } from '../../../src/auth/agents/expiring-requests.ts'
import { AgentSessions } from '../../../src/auth/agents/agent-sessions.ts'
import { Authenticator } from '../../../src/auth/authenticator.ts'
import { Credentials } from '../../../src/auth/credentials/credentials.ts'
import { HostedAgents } from '../../../src/auth/hosted/hosted-agents.ts'
import { HostedTokens } from '../../../src/auth/hosted/hosted-tokens.ts'
import { LastUsed } from '../../../src/auth/credentials/last-used.ts'
import { ConsoleSessions } from '../../../src/auth/persons/console-sessions.ts'
import { Challenges, Passkeys } from '../../../src/auth/persons/passkeys.ts'
import { EndedSessions, OneTimeLinks } from '../../../src/auth/persons/console-session.ts'
import { Passwords } from '../../../src/auth/persons/password.ts'
import { SETUP_CODE_ID } from '../../../src/auth/persons/person.ts'
import { SignInCodes } from '../../../src/auth/persons/sign-in-codes.ts'
import { TabletPins } from '../../../src/auth/persons/tablet-pins.ts'
import { SqliteTabletPins } from '../../../src/db/core/tablet-pin-store.ts'
import { Persons } from '../../../src/auth/persons/persons.ts'
import { SignIn } from '../../../src/auth/persons/sign-in.ts'
import { Pairing } from '../../../src/auth/agents/pairing.ts'
import { SteadyTime } from '../../../src/auth/credentials/steady-time.ts'
import { SqliteAgentRequests, SqliteAgentSessions } from '../../../src/db/core/agent-request-store.ts'
import { CoreDb } from '../../../src/db/core/core-db.ts'
import { SqliteConsoleSessions, SqlitePasskeys, SqlitePersons } from '../../../src/db/core/administrator-stores.ts'
import { SqliteCredentials } from '../../../src/db/core/credential-store.ts'
import { SqliteHostedTokens } from '../../../src/db/core/hosted-token-store.ts'
import { SqliteIntegrations } from '../../../src/db/core/integration-store.ts'
import { SqliteSteady } from '../../../src/db/core/single-rows.ts'
import type { AccessChange } from '../../../src/exposure/access-change.ts'
import { RecordTimes } from '../../../src/exposure/record-times.ts'
import type { Integration } from '../../../src/exposure/integration.ts'
import { DEFAULT_KNOBS } from '../../../src/exposure/knobs.ts'
import type { Cause } from '../../../src/home/model/events.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { Emitter } from '../../../src/lib/emitter.ts'
import { systemRandom } from '../../../src/lib/random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { SERIAL } from '#support/homes/stored-house.ts'

/** A fast hash; src/auth/persons/password.test.ts tests the slow one. */
const CHEAP = { by: 'argon2id', memory: 8, passes: 1 } as const
export const ANNA: Cause = { source: 'person', name: 'Anna' }

/** All access code over one core.db, in memory by default, without a house. It can stop, crash and restart. */
export class AccessHome implements Disposable {
  readonly clock = new ManualClock()
  readonly times = new RecordTimes({ now: () => this.clock.now(), zone: () => 'Europe/Berlin' })
  readonly core: CoreDb
  readonly integrations: SqliteIntegrations
  readonly stored: SqliteCredentials
  readonly requests: SqliteAgentRequests
  readonly storedTokens: SqliteHostedTokens
  readonly events: AccessEvent[] = []
  readonly changes: string[] = []
  /** Ids of persons and sessions whose access ended. */
  readonly ended: string[] = []
  /** Addresses of failed sign-in attempts. */
  readonly failed: string[] = []
  /** `HM_SETUP_CODE`. */
  setupCode: string | null = null
  #running: ReturnType<typeof startOver>

  constructor(file = ':memory:') {
    this.core = new CoreDb(file)
    this.integrations = new SqliteIntegrations(this.core)
    this.stored = new SqliteCredentials(this.core)
    this.requests = new SqliteAgentRequests(this.core)
    this.storedTokens = new SqliteHostedTokens(this.core)
    this.#running = startOver(this)
  }

  get steady(): SteadyTime {
    return this.#running.steady
  }
  get lastUsed(): LastUsed {
    return this.#running.lastUsed
  }
  get authenticator(): Authenticator {
    return this.#running.authenticator
  }
  get credentials(): Credentials {
    return this.#running.credentials
  }
  get accessChanges(): Emitter<AccessChange> {
    return this.#running.changes
  }
  get pairing(): Pairing {
    return this.#running.pairing
  }
  /** The administrators' accounts and their sign-in. */
  get people(): ReturnType<typeof peopleOf> {
    return this.#running.people
  }
  get agentSessions(): AgentSessions {
    return new AgentSessions({ store: new SqliteAgentSessions(this.core), work: this.core, random: systemRandom })
  }
  get hosted(): HostedAgents {
    return this.#running.hosted
  }

  integrate(
    knobs: Partial<Integration['knobs']> = { agent_access: 'on' },
    more: Partial<Omit<Integration, 'knobs'>> = {},
  ): Integration {
    const made: Integration = {
      id: systemRandom.uuid(),
      name: 'Panel',
      enabled: true,
      exposure: { expose: 'All' },
      knobs: { ...DEFAULT_KNOBS, ...knobs },
      createdAt: this.clock.now(),
      ...more,
    }
    this.core.change(() => this.integrations.insert(made))
    return made
  }

  change(id: string, change: { readonly enabled?: boolean; readonly knobs?: Partial<Integration['knobs']> }): void {
    const stored = this.integrations.get(id)
    if (!stored) throw new Error(`There is no integration ${id}.`)
    this.core.change(() =>
      this.integrations.update({ ...stored, ...change, knobs: { ...stored.knobs, ...change.knobs } }),
    )
    this.pairing.recheck()
  }

  remove(id: string): void {
    this.core.change(() => this.integrations.remove(id))
    this.pairing.recheck()
  }

  stop(): void {
    this.hosted.stop()
    this.pairing.stop()
    this.lastUsed.stop()
    this.people.sessions.stop()
    this.#running.cutOff()
  }

  /** As after a power cut or a defect: no more writes, no timers. */
  crash(): void {
    this.#running.cutOff()
  }

  start(): void {
    this.#running = startOver(this)
  }

  [Symbol.dispose](): void {
    this.#running.cutOff()
    this.core.close()
  }
}

function peopleOf(
  home: AccessHome,
  parts: {
    readonly work: CoreDb
    readonly clock: Clock
    readonly steady: SteadyTime
    readonly changes: Emitter<AccessChange>
  },
) {
  const { work, clock, steady, changes } = parts
  const random = systemRandom
  const passkeyStore = new SqlitePasskeys(work)
  const stores = {
    integrations: home.integrations,
    sessions: new SqliteConsoleSessions(work),
    persons: new SqlitePersons(work),
    passkeys: passkeyStore,
  }
  const ended = (ids: readonly string[]): void => void home.ended.push(...ids)
  const links = new OneTimeLinks({ random, steady })
  const common = { ...stores, links, reasons: new EndedSessions(), work, clock, random, changes, ended }
  const passwords = new Passwords(random, CHEAP)
  const sessions = new ConsoleSessions({ ...common, steady })
  const persons = new Persons({ ...common, passwords })
  const challenges = new Challenges({ random, steady })
  const passkeys = new Passkeys({ ...common, challenges })
  const codes = new SignInCodes({ random, steady })
  const setupOver = (): boolean => home.ended.includes(SETUP_CODE_ID)
  const failed = (peer: string): void => void home.failed.push(peer)
  const signIn = new SignIn({
    clock,
    persons,
    passwords,
    sessions,
    links,
    passkeys,
    codes,
    isAtHome: (peer) => peer.startsWith('192.0.2.'),
    setupCode: home.setupCode,
    setupOver,
    failed,
  })
  const pins = new TabletPins({ pins: new SqliteTabletPins(work), passwords, work, steady })
  return { sessions, persons, passkeys, links, codes, pins, signIn }
}

/** The in-memory part of a gateway's access, over the stored part. */
function startOver(home: AccessHome) {
  let alive = true
  const { clock, core: work, integrations, stored: store } = home
  const own: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    boot: () => clock.boot(),
    after: (delayMs, run) =>
      clock.after(delayMs, () => {
        if (alive) run()
      }),
  }
  const steady = new SteadyTime({ clock: own, store: new SqliteSteady(work) })
  const lastUsed = new LastUsed({ clock: own, steady, work, writer: store })
  const rethrow = (error: unknown): never => {
    throw error
  }
  const changes = new Emitter<AccessChange>(rethrow)
  changes.on(({ integration }) => home.changes.push(integration))
  const credentials = new Credentials({
    gateway: SERIAL,
    store,
    work,
    steady,
    clock: own,
    random: systemRandom,
    changes,
  })
  const events = new Emitter<AccessEvent>(rethrow)
  events.on((event) => home.events.push(event))
  const tokens = new HostedTokens({ gateway: SERIAL, store: home.storedTokens, steady, random: systemRandom })
  const pairing = new Pairing({
    gateway: SERIAL,
    requests: home.requests,
    credentials,
    lastUsed,
    integrations,
    times: home.times,
    work,
    steady,
    clock: own,
    random: systemRandom,
    events,
    changes,
  })
  const people = peopleOf(home, { work, clock: own, steady, changes })
  return {
    steady,
    lastUsed,
    credentials,
    changes,
    pairing,
    authenticator: new Authenticator({
      gateway: SERIAL,
      integrations,
      times: home.times,
      credentials: store,
      lastUsed,
      hosted: tokens,
      sessions: people.sessions,
      pins: people.pins,
    }),
    people,
    hosted: new HostedAgents({ pairing, credentials, tokens, integrations, lastUsed, work, clock: own, events }),
    cutOff: () => {
      alive = false
    },
  }
}
