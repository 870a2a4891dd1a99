import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { RateLimit } from '../../../src/api/admission.ts'
import { refusalAnswer } from '../../../src/api/answers.ts'
import { Dispatcher } from '../../../src/api/dispatch.ts'
import type { contract } from '../../../src/api/contract/index.ts'
import type { Refusal } from '../../../src/api/errors.ts'
import type { HandlersOf } from '../../../src/api/handler.ts'
import { controlHandlers } from '../../../src/api/handlers/control.ts'
import { deviceHandlers } from '../../../src/api/handlers/devices.ts'
import { homeHandlers } from '../../../src/api/handlers/home.ts'
import { HouseJson } from '../../../src/api/house-json.ts'
import { Idempotency } from '../../../src/api/idempotency.ts'
import { Unlocking } from '../../../src/api/unlocking.ts'
import { IdempotencyKeys } from '../../../src/auth/credentials/idempotency-keys.ts'
import type { Via, CredentialKind } from '../../../src/auth/credentials/credentials.ts'
import { SqliteKeyedWrites } from '../../../src/db/core/keyed-write-store.ts'
import { SqliteRules } from '../../../src/db/core/rule-store.ts'
import { ExposedHouses } from '../../../src/exposure/exposed-houses.ts'
import { GroupMembers } from '../../../src/exposure/group-members.ts'
import type { Exposure, Integration } from '../../../src/exposure/integration.ts'
import type { Knobs } from '../../../src/exposure/knobs.ts'
import type { House } from '../../../src/home/house/house.ts'
import { LiveHome } from '../../../src/home/live/live-home.ts'
import { UnitControl } from '../../../src/home/live/unit-control.ts'
import { GATEWAY_CAUSE, type HomeEvent } from '../../../src/home/model/events.ts'
import type { MessageNotice } from '../../../src/home/model/messages.ts'
import { parseDeviceKey, type DeviceState, type Press, type Readings } from '../../../src/home/model/device.ts'
import type { Unit } from '../../../src/home/model/house.ts'
import type { RuleKind } from '../../../src/home/model/rules.ts'
import { RuleRepository } from '../../../src/home/rules/rule-repository.ts'
import { TurnBatch } from '../../../src/lib/turn-batch.ts'
import { Emitter } from '../../../src/lib/emitter.ts'
import { systemRandom } from '../../../src/lib/random.ts'
import { ok } from '../../../src/lib/result.ts'
import { FRAME_BYTES_MAX } from '../../../src/transport/serve.ts'
import { StreamServer } from '../../../src/ws/stream-server.ts'
import type { HouseContent } from '../../../src/home/ports/house-store.ts'
import { QuietBus } from '#support/bus/quiet-bus.ts'
import { AccessHome, ANNA } from '#support/homes/access-home.ts'
import { homeInfo, sceneOf, unitOf } from '#support/homes/house-content.ts'
import { SERIAL, storedHouse } from '#support/homes/stored-house.ts'
import { recordingLog } from '#support/recording-log.ts'
import { TestStreamClient } from '#support/gateway/stream-client.ts'
import { tempFolder } from '#support/temp-folder.ts'

const UNITS: readonly Unit[] = [
  unitOf('lamp', 1, { class: 'light_dimmer', model: 'HMHH', room: 'hall' }),
  unitOf('strip', 2, {
    class: 'gang_module',
    model: 'HMHHX2',
    room: 'kitchen',
    gangs: [
      { gang: 0, name: 'stove', class: 'switch_gang', room: 'kitchen' },
      { gang: 1, name: 'door', class: 'switch_gang', room: 'hall' },
    ],
  }),
  unitOf('air', 3, { class: 'sensor', model: 'HMSE', room: 'kitchen' }),
  unitOf('cellar', 4, { class: 'light_switch', model: 'HMHHX1' }),
]

const SEEHEIM: Partial<HouseContent> = {
  info: homeInfo({ name: 'Seeheim' }),
  floors: [{ id: 'ground', name: 'Ground', position: 1 }],
  rooms: [
    { id: 'hall', name: 'Hall', floor: 'ground', position: 1 },
    { id: 'kitchen', name: 'Kitchen', floor: 'ground', position: 2 },
    { id: 'attic', name: 'Attic', floor: null, position: 3 },
  ],
  units: UNITS,
  scenes: [sceneOf('evening', { steps: [{ device: 'lamp', op: 'set_power', args: { on: true } }] }), sceneOf('night')],
}

export interface StreamHomeOptions {
  readonly limits?: { readonly all: number; readonly perCredential: number }
  readonly rateLimit?: RateLimit
  /** Replaces the default units of a stream home. */
  readonly units?: readonly Unit[]
}

/** A small home behind the real pipeline, with real SQLite, and real sockets over plain HTTP. */
export class StreamHome {
  readonly log = recordingLog()
  readonly events = new Emitter<HomeEvent>((error) => this.log.error({ err: error }, 'A listener failed.'))
  readonly notices = new Emitter<MessageNotice>((error) => this.log.error({ err: error }, 'A listener failed.'))
  readonly file = join(tempFolder(), 'core.db')
  readonly access = new AccessHome(this.file)
  readonly clock = this.access.clock
  readonly core = this.access.core
  readonly bus = new QuietBus(() => this.house.units.values())
  readonly house: House
  readonly live: LiveHome
  readonly automations = this.#rules('automation')
  readonly schedules = this.#rules('schedule')
  readonly dispatcher: Dispatcher
  readonly stream: StreamServer
  readonly #server = createServer()
  readonly #runningScenes = new Set<string>()
  readonly #options: StreamHomeOptions
  #port = 0

  constructor(options: StreamHomeOptions = {}) {
    this.#options = options
    this.house = storedHouse(options.units ? { ...SEEHEIM, units: options.units, scenes: [] } : SEEHEIM, {
      core: this.core,
      events: this.events,
      clock: this.clock,
    })
    this.bus.setLink(null)
    this.live = new LiveHome({ house: this.house, bus: this.bus, events: this.events, clock: this.clock })
    const { dispatcher, stream } = this.#serve()
    this.dispatcher = dispatcher
    this.stream = stream
  }

  /** A home that listens on loopback and ends with the test. */
  static async open(options: StreamHomeOptions = {}): Promise<StreamHome> {
    const home = new StreamHome(options)
    home.#server.listen(0, '127.0.0.1')
    await once(home.#server, 'listening')
    home.#port = (home.#server.address() as AddressInfo).port
    onTestFinished(() => home.#stop())
    return home
  }

  integration(
    exposure: Exposure = { expose: 'All' },
    knobs: Partial<Knobs> = {},
    id: string = systemRandom.uuid(),
  ): Integration {
    return this.access.integrate(knobs, { exposure, id })
  }

  /** Changes an integration as an administrator does: stores it, then notifies the stream. */
  change(integration: Integration, change: Partial<Integration>): void {
    this.core.change(() => this.access.integrations.update({ ...integration, ...change }))
    this.access.accessChanges.emit({ integration: integration.id, deleted: false })
  }

  token({ id }: Integration, kind: CredentialKind = 'key'): string {
    return this.access.credentials.create({ integration: id, kind, name: 'Robot', platform: 'lab' }, ANNA).token
  }

  /** `cloud`: forwarded by the relay. */
  async connect(token: string, via: Via = 'home'): Promise<TestStreamClient> {
    const client = new TestStreamClient(
      new WebSocket(`${this.url}?${via}`, { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false }),
    )
    await client.opened()
    onTestFinished(() => client.socket.terminate())
    return client
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}/v1/stream`
  }

  /** A unit reports its state unasked. */
  state(key: string, state: DeviceState): void {
    const { unit: id, gang } = parseDeviceKey(key)
    this.bus.report({
      kind: 'state',
      target: { address: this.house.units.get(id)!.address, gang },
      state,
      trigger: 'touch',
    })
  }

  /** Somebody touches a key of a unit or gang. */
  touch(key: string, press: Press = 'short'): void {
    const { unit: id, gang } = parseDeviceKey(key)
    this.bus.report({ kind: 'touch', target: { address: this.house.units.get(id)!.address, gang }, key: 'up', press })
  }

  readings(id: string, readings: Readings): void {
    this.bus.report({ kind: 'readings', address: this.house.units.get(id)!.address, readings })
  }

  runScene(id: string, running: boolean): void {
    this.#runningScenes[running ? 'add' : 'delete'](id)
    this.events.emit({ kind: 'scene', scene: id, running, cause: GATEWAY_CAUSE, at: this.clock.now() })
  }

  id(integration: Integration, local: string): string {
    return `${SERIAL}:${integration.id}:${local}`
  }

  #rules<K extends RuleKind>(kind: K): RuleRepository<K> {
    return new RuleRepository(kind, {
      store: new SqliteRules(this.core),
      work: this.core,
      clock: this.clock,
      random: systemRandom,
      settle: () => {},
      named: () => undefined,
      homeRevision: () => this.automations.revision + this.schedules.revision,
      changed: () => this.events.emit({ kind: 'rule', rule: kind, at: this.clock.now() }),
    })
  }

  #serve(): { dispatcher: Dispatcher; stream: StreamServer } {
    const activity = { record: () => {}, committed: () => Promise.resolve() }
    const { authenticator, integrations, accessChanges, steady } = this.access
    const views = new ExposedHouses(this.house, SERIAL, new GroupMembers(this.house, integrations))
    const control = new UnitControl({ house: this.house, live: this.live, bus: this.bus, activity, clock: this.clock })
    const running = (id: string): boolean => this.#runningScenes.has(id)
    const scenes = { running, obstacle: () => null, run: () => ok({ runId: 'run1' }) }
    const nobodyConfirms = { useOrRequest: () => ({ kind: 'requested', id: 'BCDF' }) as const }
    // Handlers of the few endpoints that stream tests call.
    const handlers = {
      ...homeHandlers({
        live: this.live,
        houseJson: new HouseJson(this.live, systemRandom),
        gateway: SERIAL,
        about: 'This is the gateway.',
        ca: () => ({ pem: '', fingerprint: '' }),
      }),
      ...deviceHandlers({ house: this.house, live: this.live, scenes }),
      ...controlHandlers({
        live: this.live,
        control,
        scenes,
        unlocking: new Unlocking({
          house: this.house,
          identities: { since: () => 0 },
          ruleOf: () => undefined,
          confirmations: nobodyConfirms,
          opening: { refusalOf: () => null },
        }),
      }),
    } as unknown as HandlersOf<typeof contract>
    const dispatcher = new Dispatcher({
      authenticator,
      views,
      handlers,
      activity,
      storage: this.core,
      idempotency: new Idempotency({
        keys: new IdempotencyKeys({ store: new SqliteKeyedWrites(this.core), work: this.core, steady }),
        storage: this.core,
        log: this.log,
      }),
      rules: { shows: () => false },
      failures: { note: () => {} },
      clock: this.clock,
      random: systemRandom,
      log: this.log,
      rateLimit: this.#options.rateLimit ?? null,
    })
    const stream = new StreamServer({
      dispatcher,
      authenticator,
      integrations,
      accessChanges,
      views,
      live: this.live,
      rules: this,
      events: this.events,
      notices: this.notices,
      clock: this.clock,
      log: this.log,
      turnBatch: new TurnBatch(),
      ...(this.#options.limits ? { limits: this.#options.limits } : {}),
    })
    const sockets = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: FRAME_BYTES_MAX,
      clientTracking: false,
    })
    this.#server.on('upgrade', (request, socket, head) => {
      const token = request.headers.authorization?.slice('Bearer '.length) ?? null
      const caller = {
        token,
        peer: '127.0.0.1',
        via: request.url?.endsWith('?cloud') === true ? 'cloud' : 'home',
      } as const
      const admit = async (): Promise<void> => {
        await stream.admit(token, caller.peer, caller.via)
        sockets.handleUpgrade(request, socket, head, (ready) => stream.accept(ready, caller))
      }
      admit().catch((error: unknown) => {
        const answer = refusalAnswer(error as Refusal)
        socket.end(`HTTP/1.1 ${answer.status} No\r\nConnection: close\r\n\r\n${String(answer.body)}`)
      })
    })
    return { dispatcher, stream }
  }

  #stop(): void {
    this.stream.close()
    this.clock.advance(2_000)
    this.live.stop()
    this.access.stop()
    this.#server.close()
    this.#server.closeAllConnections()
    this.access[Symbol.dispose]()
  }
}
