import type { AccessEvent } from '../auth/agents/expiring-requests.ts'
import { AgentSessions } from '../auth/agents/agent-sessions.ts'
import { Authenticator } from '../auth/authenticator.ts'
import { Confirmations } from '../auth/agents/confirmations.ts'
import { Credentials } from '../auth/credentials/credentials.ts'
import { FailureLog } from '../auth/credentials/failed-authentications.ts'
import { HostedAgents } from '../auth/hosted/hosted-agents.ts'
import { HostedTokens } from '../auth/hosted/hosted-tokens.ts'
import { IdempotencyKeys } from '../auth/credentials/idempotency-keys.ts'
import { LastUsed, openingPolicy } from '../auth/credentials/last-used.ts'
import { Operators } from '../auth/operators/operators.ts'
import { ConsoleSessions } from '../auth/persons/console-sessions.ts'
import { Challenges, Passkeys } from '../auth/persons/passkeys.ts'
import { EndedSessions, OneTimeLinks } from '../auth/persons/console-session.ts'
import { Passwords } from '../auth/persons/password.ts'
import { isAdministrator, SETUP_CODE_ID } from '../auth/persons/person.ts'
import { SignInCodes } from '../auth/persons/sign-in-codes.ts'
import { TabletPins } from '../auth/persons/tablet-pins.ts'
import { Persons } from '../auth/persons/persons.ts'
import { Pairing } from '../auth/agents/pairing.ts'
import { SteadyTime } from '../auth/credentials/steady-time.ts'
import { PendingRevocations } from '../auth/credentials/pending-revocations.ts'
import type { AccessChange } from '../exposure/access-change.ts'
import { RecordTimes } from '../exposure/record-times.ts'
import { IntegrationAdmin } from '../exposure/integration-admin.ts'
import type { OpeningPolicy, Principal } from '../home/ports/unit-bus.ts'
import { Emitter } from '../lib/emitter.ts'
import type { GatewayOptions } from './options.ts'
import type { Stores } from './stores.ts'

export interface AccessParts extends Disposable {
  readonly authenticator: Authenticator
  /** The hours and ends of integrations. */
  readonly times: RecordTimes
  readonly failures: FailureLog
  readonly integrations: IntegrationAdmin
  readonly credentials: Credentials
  /** Revocations that the disk has not stored yet. */
  readonly unstored: PendingRevocations
  readonly lastUsed: LastUsed
  readonly pairing: Pairing
  /** For the relay's control stream. */
  readonly hosted: HostedAgents
  readonly confirmations: Confirmations
  /** Issues and checks MCP session ids. */
  readonly agentSessions: AgentSessions
  readonly idempotencyKeys: IdempotencyKeys
  readonly opening: OpeningPolicy
  /** True if rules that an integration saved may send messages now. */
  readonly mayTell: (author: Principal) => boolean
  /** The administrators' accounts and their sign-in. */
  readonly persons: Persons
  readonly passwords: Passwords
  readonly passkeys: Passkeys
  readonly codes: SignInCodes
  /** PINs of wall tablets. */
  readonly pins: TabletPins
  /** Monitoring programs. */
  readonly operators: Operators
  readonly sessions: ConsoleSessions
  readonly links: OneTimeLinks
  /** True if the home ever had an administrator: then the set-up code is invalid. */
  readonly setupOver: () => boolean
  /** Milliseconds of steady time, for decisions that must not depend on a wrong clock. */
  readonly steady: () => number
  /** New and ended requests and confirmations of agents, for administrators. */
  readonly events: Emitter<AccessEvent>
  /**
   * Every change of an integration or credential. The parts that change one emit it; the parts that cache by one
   * listen.
   */
  readonly changes: Emitter<AccessChange>
}

/**
 * Opens integrations, credentials, and the access requests of agents.
 *
 * @param now epoch ms, or null while the time is unknown
 */
export function openAccess(
  { clock, random, log }: GatewayOptions,
  stores: Stores,
  now: () => number | null = () => clock.now(),
): AccessParts {
  const { core: work, serial: gateway, integrations: stored } = stores
  using opened = new DisposableStack()
  const { events, changes } = emittersOf(log)
  const times = new RecordTimes({ now, zone: storedZone(stores) })
  const steady = new SteadyTime({ clock, store: stores.steady })
  const lastUsed = opened.adopt(new LastUsed({ clock, steady, work, writer: stores.credentials }), stop)
  lastUsed.save()
  const credentials = new Credentials({ gateway, store: stores.credentials, work, steady, clock, random, changes })
  const asking = { credentials, work, steady, clock, random, events }
  const confirmations = opened.adopt(new Confirmations({ ...asking, store: stores.confirmations }), stop)
  const pairing = opened.adopt(
    new Pairing({ ...asking, gateway, requests: stores.agentRequests, lastUsed, integrations: stored, times, changes }),
    stop,
  )
  const tokens = new HostedTokens({ gateway, store: stores.hostedTokens, steady, random })
  const hosted = opened.adopt(
    new HostedAgents({ pairing, credentials, tokens, integrations: stored, lastUsed, work, clock, events }),
    stop,
  )
  const failures = opened.adopt(new FailureLog({ clock, activity: stores.history.activity }), stop)
  opened.defer(keepRevocations(changes, stores))
  const people = peopleOver({ clock, random }, stores, steady, changes)
  const { sessions, pins } = people
  opened.defer(() => sessions.stop())
  const unstored = opened.adopt(new PendingRevocations({ clock, log }), stop)
  const checks = { integrations: stored, times, credentials: stores.credentials, lastUsed }
  const running = opened.move()
  return {
    failures,
    times,
    lastUsed,
    credentials,
    unstored,
    pairing,
    hosted,
    confirmations,
    agentSessions: new AgentSessions({ store: stores.agentSessions, work, random }),
    idempotencyKeys: new IdempotencyKeys({ store: stores.keyedWrites, work, steady }),
    ...people,
    events,
    changes,
    authenticator: new Authenticator({ ...checks, gateway, hosted: tokens, sessions, pins }),
    steady: () => steady.now(),
    opening: openingPolicy(checks),
    mayTell: mayTellIn(stored, times),
    integrations: new IntegrationAdmin({ store: stored, times, work, clock, random, changes }),
    [Symbol.dispose]: () => running.dispose(),
  }
}

function emittersOf(log: GatewayOptions['log']): Pick<AccessParts, 'events' | 'changes'> {
  const failed =
    (what: string) =>
    (error: unknown): void =>
      log.error({ err: error }, `A listener of ${what} failed.`)
  return { events: new Emitter(failed('the access events')), changes: new Emitter(failed('changes of access')) }
}

const mayTellIn =
  (stored: Pick<Stores['integrations'], 'get'>, times: RecordTimes): AccessParts['mayTell'] =>
  ({ integration }) => {
    const author = stored.get(integration)
    if (author?.enabled !== true || author.knobs.may_tell === 'off') return false
    return times.closedNow(author)?.closed !== 'ended'
  }

/** The home's time zone, read again after each commit. */
function storedZone({ house, integrations }: Pick<Stores, 'house' | 'integrations'>): () => string {
  let known: { readonly version: number; readonly zone: string } | null = null
  return () => {
    const { version } = integrations
    if (known?.version !== version) known = { version, zone: house.timeZone() }
    return known.zone
  }
}

/** The administrators' accounts, their sessions and their sign-in. */
function peopleOver(
  { clock, random }: Pick<GatewayOptions, 'clock' | 'random'>,
  { core: work, consoleSessions, persons, passkeys, operators, integrations, revocations, ...stores }: Stores,
  steady: SteadyTime,
  changes: Emitter<AccessChange>,
): Pick<
  AccessParts,
  'persons' | 'passwords' | 'passkeys' | 'codes' | 'pins' | 'operators' | 'sessions' | 'links' | 'setupOver'
> {
  const passwords = new Passwords(random)
  const links = new OneTimeLinks({ random, steady })
  const ended = (ids: readonly string[]): void => revocations.add(ids)
  const reasons = new EndedSessions()
  const people = {
    sessions: consoleSessions,
    persons,
    integrations,
    links,
    reasons,
    work,
    clock,
    random,
    changes,
    ended,
  }
  // An administrator from before this was recorded.
  if (persons.list().some(isAdministrator)) ended([SETUP_CODE_ID])
  return {
    persons: new Persons({ ...people, passkeys, passwords }),
    passwords,
    codes: new SignInCodes({ random, steady }),
    pins: new TabletPins({ pins: stores.tabletPins, passwords, work, steady }),
    passkeys: new Passkeys({ ...people, passkeys, challenges: new Challenges({ random, steady }) }),
    operators: new Operators({ ...people, gateway: stores.serial, operators }),
    sessions: new ConsoleSessions({ ...people, steady }),
    links,
    setupOver: () => revocations.has(SETUP_CODE_ID),
  }
}

/** Stores revocations next to the configuration before the revoking caller gets its response. */
function keepRevocations(changes: Emitter<AccessChange>, { credentials, revocations }: Stores): () => void {
  let known: readonly string[] = []
  const remember = (): void => {
    const all = credentials.list()
    const active = new Set(all.filter(({ revokedAt }) => revokedAt === null).map(({ link }) => link))
    const seen = new Set([...known, ...all.map(({ link }) => link)])
    revocations.add([...seen].filter((link) => !active.has(link)))
    known = [...active]
  }
  remember()
  const forget = changes.on(({ integration, deleted }) => {
    if (deleted) revocations.add([integration])
    remember()
  })
  return () => {
    forget()
    // A revocation that the disk refused must not be lost at the next start, when the disk may accept writes.
    revocations.add([])
  }
}

function stop(part: { stop(): void }): void {
  part.stop()
}
