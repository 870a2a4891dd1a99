import { mkdtempSync, rmSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEMO_PLAN } from '../../../src/demo/demo-plan.ts'
import { prepareDataFolder } from '../../../src/settings/data-folder.ts'
import { openGateway, type RunningGateway } from '../../../src/gateway/gateway.ts'
import type { Port } from '../../../src/hmhc/port/port.ts'
import type { HouseContent } from '../../../src/home/ports/house-store.ts'
import { refusedRow } from '../../../src/db/core/core-rows.ts'
import { readDatabase } from '../../../src/db/sound-file.ts'
import { isStorageFailure } from '../../../src/lib/storage-failure.ts'
import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import { type Log, silentLog } from '../../../src/lib/log.ts'
import { type Random, systemRandom } from '../../../src/lib/random.ts'
import type { GatewayOptions } from '../../../src/gateway/options.ts'
import type { GatewaySettings } from '../../../src/settings/settings.ts'
import { SimulatedHouse, type SimulatedHouseOptions } from '../../../src/sim/simulated-house.ts'
import { simulatedHome, SimulatedLine } from '../../../src/gateway/simulated-home.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { THROUGH_RELAY } from '#support/relay/mode.ts'
import { stopWithNothingLeft } from '#support/relay/nothing-left.ts'
import { TestAdmin } from './test-admin.ts'

export interface TestGatewayOptions {
  /**
   * Default: a clock that runs like the system's, and faster at the simulated house while `hasten` waits for the radio.
   */
  readonly clock?: Clock
  /** Start of the default clock: in the last morning by default, or an epoch ms where another clock ended. */
  readonly begins?: 'now' | number
  /** Clock of the tunnels. Default: `clock`, or the system's time if all requests come through a relay. */
  readonly relayClock?: Clock
  readonly random?: Random
  readonly log?: Log
  readonly logbook?: GatewayOptions['logbook']
  /** Listening address; default 127.0.0.1. */
  readonly host?: string
  readonly rateLimit?: GatewaySettings['rateLimit']
  /** Default: `on`. */
  readonly console?: GatewaySettings['console']
  /** Another folder than the set-up's for the built pages. */
  readonly pages?: string
  /** Code on the label; default: none. */
  readonly setupCode?: string
  /** `HM_BACKUP_DIR`. */
  readonly backupDir?: string
  /** True if service requests take the fast path; default: `HM_FAST_PATH`. */
  readonly fastPath?: boolean
  readonly plugins?: GatewayOptions['plugins']
  readonly outsideNetwork?: GatewayOptions['outsideNetwork']
  readonly connections?: { readonly all: number; readonly perAddress: number }
  /** The simulated house behind the line; by default uninhabited. */
  readonly sim?: Partial<Omit<SimulatedHouseOptions, 'clock'>>
  readonly firstHouse?: HouseContent
  /** Default: a temporary data folder, removed at the end. */
  readonly dataDir?: string
  /** Another line than the simulated house inside. */
  readonly openPort?: () => Port
  /** Fallback folders for the socket file. */
  readonly socketFolders?: readonly string[]
  /** Called when the disk accepts writes again. */
  readonly restart?: () => void
  /** Called before a start that migrates the databases. */
  readonly updating?: () => void
  /** Announces the gateway, with sockets and networks of the test. */
  readonly announce?: Pick<GatewayOptions, 'announcementSockets' | 'interfaces'>
  /** Networks of the machine; default: those of this one. */
  readonly interfaces?: GatewayOptions['interfaces']
  /** Replaces the sync of configuration files. */
  readonly syncFile?: (file: string) => Promise<void>
  /** True (the default) if opening waits until every unit has reported its state. */
  readonly settled?: boolean
}

const ZONE = 'Europe/Berlin'
const DEMO_LINE = { kind: 'sim', units: null, seed: 1, speed: 1 } as const
let demo: HouseContent | null = null

const settled = (running: TestGateway): Promise<void> =>
  running.clock instanceof PassingClock ? running.clock.hasten(running.settled()) : running.settled()

/** Read once: a simulated day would read them thousands of times. */
const INTERFACES = networkInterfaces()

/** The demo home, read from its file once. */
const demoHouse = (): HouseContent => (demo ??= simulatedHome(DEMO_LINE, systemClock, ZONE).newHome.house())

/** A whole gateway in this process: real TLS, real SQLite, the real protocol, and a simulated house at the wire. */
export class TestGateway implements AsyncDisposable {
  readonly gateway: RunningGateway
  readonly sim: SimulatedHouse
  readonly admin: TestAdmin
  readonly dataDir: string
  readonly clock: Clock
  readonly #ownsFolder: boolean
  readonly #ownClock: PassingClock | null

  private constructor(
    gateway: RunningGateway,
    sim: SimulatedHouse,
    clock: Clock,
    ownClock: PassingClock | null,
    dataDir: string,
    ownsFolder: boolean,
  ) {
    this.gateway = gateway
    this.clock = clock
    this.#ownClock = ownClock
    this.sim = sim
    this.dataDir = dataDir
    this.admin = new TestAdmin(dataDir)
    this.#ownsFolder = ownsFolder
  }

  static async open(options: TestGatewayOptions = {}): Promise<TestGateway> {
    const { random = systemRandom, log = silentLog, rateLimit = null } = options
    // A process behind another line uses the system's time, so the gateway does too.
    const ownClock = options.clock || options.openPort ? null : new PassingClock(options.begins)
    const clock = options.clock ?? ownClock ?? systemClock
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'hm-test-'))
    const sim = new SimulatedHouse({ seed: 1, plan: DEMO_PLAN, people: false, ...options.sim, clock })
    const gateway = await openGateway({
      settings: {
        dataDir,
        host: options.host ?? '127.0.0.1',
        port: 0,
        hmhc: DEMO_LINE,
        rateLimit,
        logLevel: 'silent',
        console: options.console ?? 'on',
        setupCode: options.setupCode ?? null,
        backupDir: options.backupDir ?? null,
        fastPath: options.fastPath ?? process.env['HM_FAST_PATH'] !== 'off',
      },
      folder: {
        ...prepareDataFolder(dataDir),
        ...(options.socketFolders ? { socketFolders: options.socketFolders } : {}),
      },
      clock,
      random,
      log,
      openPort: options.openPort ?? (() => new SimulatedLine(sim)),
      newHome: {
        house: () => options.firstHouse ?? demoHouse(),
        // Tests create the rules that they need.
        rules: () => ({ automations: [], schedules: [] }),
        integration: null,
        past: null,
      },
      defaultZone: ZONE,
      interfaces: options.interfaces ?? (() => INTERFACES),
      ...(options.pages ? { pages: options.pages } : {}),
      ...(options.logbook ? { logbook: options.logbook } : {}),
      ...options.announce,
      announce: options.announce !== undefined,
      ...(THROUGH_RELAY ? { relayClock: systemClock } : {}),
      ...(options.relayClock ? { relayClock: options.relayClock } : {}),
      ...(options.restart ? { restart: options.restart } : {}),
      ...(options.updating ? { updating: options.updating } : {}),
      ...(options.syncFile ? { syncFile: options.syncFile } : {}),
      ...(options.plugins ? { plugins: options.plugins } : {}),
      ...(options.outsideNetwork ? { outsideNetwork: options.outsideNetwork } : {}),
      ...(options.connections ? { connections: options.connections } : {}),
    })
    const made = new TestGateway(gateway, sim, clock, ownClock, dataDir, options.dataDir === undefined)
    if (options.settled ?? options.openPort === undefined) await settled(made)
    return made
  }

  get url(): string {
    return `https://127.0.0.1:${this.gateway.port}`
  }

  /** Resolves once every unit of the house on the bus has reported its state. */
  settled(): Promise<void> {
    const { live, events } = this.gateway.home
    const missing = (): boolean => !live.settled
    return new Promise((resolve) => {
      if (!missing()) return resolve()
      const stop = events.on(() => {
        if (missing()) return
        stop()
        resolve()
      })
    })
  }

  /** Waits for radio or commits; the default clock runs faster meanwhile. */
  hasten<T>(work: Promise<T>): Promise<T> {
    return this.#ownClock?.hasten(work) ?? work
  }

  /** Stops the gateway's clock until `work` is done, so that all changes come from `work`. */
  still<T>(work: () => Promise<T>): Promise<T> {
    if (!(this.clock instanceof PassingClock)) throw new Error('The gateway does not use a passing clock.')
    return this.clock.still(work)
  }

  /** Stops the gateway and keeps its folder for another start. */
  async stop(): Promise<void> {
    await this.gateway.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await stopWithNothingLeft(this, async () => {
      await this.gateway.stop()
      this.sim.unplug()
      // A next start would take the newest sound copy instead, and later changes would be lost.
      const refused = refusedRowOf(join(this.dataDir, 'core.db'))
      if (refused !== null) throw new Error(`The configuration that this gateway leaves: ${refused}`)
      if (this.#ownsFolder) rmSync(this.dataDir, { recursive: true, force: true })
    })
  }
}

/** Place of an invalid row, or null, also for a disk that takes no writes and so no reader of the log. */
function refusedRowOf(core: string): string | null {
  try {
    return readDatabase(core, refusedRow)
  } catch (error) {
    if (isStorageFailure(error)) return null
    throw error
  }
}
