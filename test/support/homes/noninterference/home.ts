import { gunzipSync } from 'node:zlib'
import type { WebSocket } from 'ws'
import type { Answer } from '../../../../src/api/call.ts'
import { hashSecret, formatToken } from '../../../../src/auth/credentials/credentials.ts'
import { type AccessParts, openAccess } from '../../../../src/gateway/access.ts'
import { type ApiParts, openApi } from '../../../../src/gateway/api.ts'
import { type HomeParts, openHome } from '../../../../src/gateway/home.ts'
import type { Stores } from '../../../../src/gateway/stores.ts'
import { CoreDb } from '../../../../src/db/core/core-db.ts'
import { SqliteAgentRequests, SqliteAgentSessions } from '../../../../src/db/core/agent-request-store.ts'
import { SqlitePresence } from '../../../../src/db/core/presence-store.ts'
import { SqliteCalendars } from '../../../../src/db/core/calendar-store.ts'
import { SqliteMode, SqliteSteady, SqliteTariff } from '../../../../src/db/core/single-rows.ts'
import { SqliteKeyedWrites } from '../../../../src/db/core/keyed-write-store.ts'
import { SqliteConfirmations } from '../../../../src/db/core/confirmation-store.ts'
import {
  SqliteConsoleSessions,
  SqliteOperators,
  SqlitePasskeys,
  SqlitePersons,
} from '../../../../src/db/core/administrator-stores.ts'
import { SqliteCredentials } from '../../../../src/db/core/credential-store.ts'
import { SqliteHostedTokens } from '../../../../src/db/core/hosted-token-store.ts'
import { SqliteHouse } from '../../../../src/db/core/house-store.ts'
import { SqliteIncidents } from '../../../../src/db/core/incident-store.ts'
import { SqliteMessages } from '../../../../src/db/core/message-store.ts'
import { SqliteDeliveries } from '../../../../src/db/core/delivery-store.ts'
import { SqlitePush } from '../../../../src/db/core/push-store.ts'
import { SqliteTabletPins } from '../../../../src/db/core/tablet-pin-store.ts'
import { SqliteWebhooks } from '../../../../src/db/core/webhook-store.ts'
import { SqliteIntegrations } from '../../../../src/db/core/integration-store.ts'
import { SqliteRules } from '../../../../src/db/core/rule-store.ts'
import { openHistory } from '../../../../src/db/history/history-db.ts'
import type { Integration } from '../../../../src/exposure/integration.ts'
import { DEFAULT_KNOBS } from '../../../../src/exposure/knobs.ts'
import type { GatewayOptions } from '../../../../src/gateway/options.ts'
import type { Author } from '../../../../src/home/model/house.ts'
import { drainOutbox } from '../../../../src/home/record/outbox.ts'
import { StreamServer } from '../../../../src/ws/stream-server.ts'
import { SeededRandom } from '../../../../src/sim/model/seeded-random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { recordingLog } from '#support/recording-log.ts'
import type { TestRequest } from '#support/gateway/verifies.ts'
import { Disguise } from './disguise.ts'
import { FakeSocket } from './fake-socket.ts'
import { QuietBus } from '#support/bus/quiet-bus.ts'
import { TrackedRandom } from './tracked-random.ts'
import { WATCHED, WORLD } from './shared-home.ts'

export const GATEWAY = 'ab12cd34ef56'
export const WATCHED_ID = '11111111-2222-4333-8444-555555555555'
/** Another integration, the same in both homes: its effects on visible things are visible. */
export const NEIGHBOUR_ID = '99999999-2222-4333-8444-555555555555'
/** Ten minutes before a Wednesday's noon in Berlin, so that the rules of the world run. */
const START = Date.UTC(2027, 2, 3, 10, 55)
const TURNS = 3
/** An ETag computed from the bytes of a response. */
const PART_TAG = /^"([\w-]{22})(?:-gzip)?"$/

/** A whole home behind the pipeline, in memory, that records everything sent to one watched integration. */
export class NoninterferenceHome {
  readonly clock = new ManualClock(START)
  readonly log = recordingLog()
  readonly random: TrackedRandom
  /** Randomness of hidden events. */
  readonly dice: SeededRandom
  readonly disguise: Disguise
  readonly bus: QuietBus
  readonly stores: Stores
  readonly home: HomeParts
  readonly access: AccessParts
  readonly api: ApiParts
  readonly hub: StreamServer
  readonly #token: string
  readonly #socket: FakeSocket
  #answers: string[] = []
  #etags = new Map<string, string>()

  constructor(way: number, seed: number) {
    this.random = new TrackedRandom(seed)
    this.dice = new SeededRandom(`${way}/${seed}`)
    const watched = WATCHED[way] ?? WATCHED[0]!
    this.disguise = new Disguise(WORLD, watched, this.dice)
    const world = this.disguise.world()
    this.stores = this.#openStores(world.content)
    const options = {
      clock: this.clock,
      random: this.random,
      log: this.log,
      settings: { rateLimit: null },
      newHome: { past: null },
      defaultZone: 'UTC',
    } as unknown as GatewayOptions
    let bus: QuietBus | null = null
    this.access = openAccess(options, this.stores)
    this.home = openHome(
      options,
      this.stores,
      { ...this.access, isClockDoubted: () => false },
      (_options, house) => (bus = new QuietBus(() => house.units.values(), this.disguise.side())),
    )
    this.bus = bus ?? notMade()
    const { stores, home } = this
    const ca = () => ({ pem: 'PEM', fingerprint: 'AA' })
    this.api = openApi(options, { stores, home, access: this.access, ca })
    const { dispatcher, views } = this.api
    this.hub = new StreamServer({
      dispatcher,
      authenticator: this.access.authenticator,
      views,
      integrations: this.stores.integrations,
      accessChanges: this.access.changes,
      live: this.home.live,
      rules: this.home.rules,
      events: this.home.events,
      notices: this.home.messages.notices,
      clock: this.clock,
      log: this.log,
    })
    const base = { enabled: true, createdAt: START, knobs: DEFAULT_KNOBS }
    this.#token = this.#integrate({
      ...base,
      id: WATCHED_ID,
      name: 'Watched',
      exposure: watched.exposure,
      knobs: { ...DEFAULT_KNOBS, ...watched.knobs },
    })
    this.#integrate({ ...base, id: NEIGHBOUR_ID, name: 'Neighbour', exposure: { expose: 'All' } })
    for (const name of this.disguise.others())
      this.#integrate({ ...base, id: this.random.uuid(), name, exposure: { expose: 'All' } })
    const cause = { source: 'person', name: 'Anna' } as const
    for (const rule of world.automations) {
      const made = this.home.rules.automations.create(rule, null, cause)
      if (made.ok) this.home.rules.automations.update(made.value.id, { then: rule.then }, 1, cause, this.nobody())
    }
    for (const rule of world.schedules) this.home.rules.schedules.create(rule, null, cause)
    this.#socket = new FakeSocket()
  }

  /** An author who may not open, different in each home; authors of rules and scenes are hidden. */
  nobody(): Author {
    const missing = { integration: `gone-${this.dice.whole(0, 99)}`, link: 'gone' }
    return this.dice.pick([missing, { integration: NEIGHBOUR_ID, link: 'link100000' }])
  }

  /** Starts the home; the comparison begins afterwards. */
  async start(): Promise<void> {
    this.home.start()
    this.bus.report({ kind: 'readings', address: 11, readings: { temperature: 20, light: 100 } })
    // From here on every meter reading adds energy.
    for (const { unit, gang } of this.home.house.devices.values())
      this.bus.report({ kind: 'energy', address: unit.address, gang: gang?.gang ?? null, energyWh: 500, powerW: 0 })
    await this.pass(6_000)
    this.hub.accept(this.#socket as unknown as WebSocket, { token: this.#token, peer: '127.0.0.1' })
  }

  stop(): void {
    this.hub.close()
    this.home[Symbol.dispose]()
    this.access[Symbol.dispose]()
    this.stores.history.close()
    this.stores.core.close()
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advanceAsync(ms)
    await this.settle()
  }

  /** Lets all pending work finish without passing time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++)
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
  }

  /** Sends a request as HTTP does and records the whole response. */
  async ask(
    { method, path, query = {}, body, key }: TestRequest,
    { conditional = false, gzip = false } = {},
  ): Promise<Answer> {
    const etag = conditional ? this.#etags.get(path) : undefined
    const answer = await this.api.dispatcher.answer({
      method,
      path,
      query,
      token: this.#token,
      via: 'home',
      peer: '127.0.0.1',
      ifNoneMatch: etag,
      acceptEncoding: gzip ? 'gzip' : undefined,
      idempotencyKey: key,
      body: body === undefined ? { kind: 'none' } : { kind: 'value', value: body },
    })
    const tag = answer.headers['etag']
    if (tag !== undefined) this.#etags.set(path, tag)
    // The ETag of bytes with random words is random too.
    const [, random] = PART_TAG.exec(tag ?? '') ?? []
    if (random !== undefined) this.random.gave(random)
    this.#answers.push(`${answer.status} ${JSON.stringify(answer.headers)} ${textOf(answer)}`)
    return answer
  }

  /** Sends a message on the stream. */
  say(message: object): void {
    this.#socket.emit('message', Buffer.from(JSON.stringify(message)), false)
  }

  /** Everything sent to the watched integration since the last call, with random names replaced. */
  answersSoFar(): string[] {
    const answers = [...this.#answers, ...this.#socket.written()]
    this.#answers = []
    return answers.map((text) => this.random.steady(decodeColons(text)))
  }

  id(local: string): string {
    return `${GATEWAY}:${WATCHED_ID}:${local}`
  }

  #openStores(content: Parameters<SqliteHouse['replace']>[0]): Stores {
    const core = new CoreDb(':memory:')
    const house = new SqliteHouse(core)
    core.change(() => {
      house.found(GATEWAY, content.info)
      house.replace(content)
    })
    const history = openHistory({ file: ':memory:', clock: this.clock, random: this.random, log: this.log })
    core.onOutbox = () => drainOutbox(core, history.activity)
    return {
      disk: { usage: () => ({ bytes: 1, bytesFree: 1, state: 'ok' }) },
      core,
      house,
      history,
      serial: GATEWAY,
      integrations: new SqliteIntegrations(core),
      credentials: new SqliteCredentials(core),
      confirmations: new SqliteConfirmations(core),
      keyedWrites: new SqliteKeyedWrites(core),
      rules: new SqliteRules(core),
      tariff: new SqliteTariff(core),
      mode: new SqliteMode(core),
      presence: new SqlitePresence(core),
      calendars: new SqliteCalendars(core),
      agentRequests: new SqliteAgentRequests(core),
      agentSessions: new SqliteAgentSessions(core),
      hostedTokens: new SqliteHostedTokens(core),
      steady: new SqliteSteady(core),
      persons: new SqlitePersons(core),
      passkeys: new SqlitePasskeys(core),
      operators: new SqliteOperators(core),
      tabletPins: new SqliteTabletPins(core),
      consoleSessions: new SqliteConsoleSessions(core),
      incidents: new SqliteIncidents(core),
      messages: new SqliteMessages(core),
      webhooks: new SqliteWebhooks(core),
      webhookDeliveries: new SqliteDeliveries(core, 'webhook'),
      push: new SqlitePush(core),
      pushDeliveries: new SqliteDeliveries(core, 'push'),
      revocations: { add: () => {}, has: () => false },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
  }

  #integrate(integration: Integration): string {
    const secret = this.random.bytes(32).toString('base64url')
    const link = `link${this.stores.integrations.list().length}00000`
    this.stores.core.change(() => {
      this.stores.integrations.insert(integration)
      this.stores.credentials.insert({
        link,
        integration: integration.id,
        kind: 'key',
        name: '',
        platform: '',
        secretSha256: hashSecret(secret),
        hosted: null,
        createdAt: START,
        revokedAt: null,
        lastUsedAt: null,
        lastUsedVia: null,
        steadyCreatedAt: START,
        steadyUsedAt: null,
        expiredAt: null,
      })
    })
    return formatToken({ kind: 'key', gateway: GATEWAY, integration: integration.id, link, secret })
  }
}

/** Text of a response; random words in it are only recognizable in plain text. */
function textOf({ headers, body }: Answer): string {
  return String(headers['content-encoding'] === 'gzip' && typeof body === 'object' && body ? gunzipSync(body) : body)
}

function notMade(): never {
  throw new Error('The home has no bus.')
}

function decodeColons(text: string): string {
  return text.replaceAll('%3A', ':')
}
