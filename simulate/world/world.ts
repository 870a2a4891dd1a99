import type { Random } from '../../src/lib/random.ts'
import { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HouseContent } from '../../src/home/ports/house-store.ts'
import { SimulatedHouse } from '../../src/sim/simulated-house.ts'
import type { Answering, SimCaller } from './sim-calls.ts'
import { SimulatedClock, type Turns } from './clock.ts'
import { CORE, copyAsCut, HISTORY, REVOKED, markOfLog, nextFolder, textIn, syncMsBy, keepOverCrash } from './stores.ts'
import { type GatewayLife, openLife } from './gateway.ts'
import { makeHome, type SimulatedHome } from './house.ts'
import { Journal, SimulatedLog, type Violation, violationOf, type DiskMark, type Watcher } from './journal.ts'
import type { PlantedDefect } from './planted-defect.ts'
import { PhysicalUnits } from './physical-units.ts'
import { Tenures, configurationOf, type Facts, factsOf } from './expected-state.ts'
import { EXTRA_RULES, replicaOf, withoutExtra } from './replica.ts'

/** Randomness with a separate sequence for each moment, so that extra draws at one moment change no later ones. */
class RandomOfMoments implements Random {
  readonly #seed: SeededRandom
  readonly #now: () => number
  #row: { readonly at: number; readonly random: Random } | null = null

  constructor(seed: SeededRandom, now: () => number) {
    this.#seed = seed
    this.#now = now
  }

  bytes(count: number): Buffer {
    return this.#ofNow().bytes(count)
  }

  uuid(): string {
    return this.#ofNow().uuid()
  }

  #ofNow(): Random {
    const at = this.#now()
    if (this.#row?.at !== at) this.#row = { at, random: this.#seed.fork(at) }
    return this.#row.random
  }
}

/** By then the gateway has found and read its units. */
const SETTLED_MS = 5 * 60_000
/** By then a started gateway searches for its units, and its timers keep the home awake. */
const AFTER_START_MS = 10_000

interface WorldOptions {
  readonly seed: number
  readonly folder: string
  readonly defect: PlantedDefect
  readonly turns: Turns
  readonly keepsLines: boolean
  /** True for a home of a pair. Crashes then lose no writes, so that both homes stay equal. */
  readonly inPair: boolean
  /** True for the replica, whose hidden part differs. */
  readonly isReplica: boolean
}

/** Time after a fault until everything works again. */
const CALM_MS = 60_000
/** Longest time of a report to the gateway. */
export const ON_ITS_WAY_MS = 5_000
/** A rest ends this long before the next timed run. */
const BEFORE_RUN_MS = 65_000
/** Time after a disk fault until the replica's extra run is stored and over. */
const STORED_AGAIN_MS = 3 * 60_000

/** One home with its house, its gateway and its time. */
export class World {
  readonly seed: number
  readonly clock: SimulatedClock
  readonly house: SimulatedHouse
  readonly home: SimulatedHome
  readonly journal: Journal
  readonly log = new SimulatedLog()
  readonly turns: Turns
  /** End of the last fault of each kind: `disk`, `line`, `clock`, `down`. */
  readonly troubles = new Map<string, number>()
  readonly physical: PhysicalUnits
  readonly tenures: Tenures
  readonly answering: Answering
  /** The caller that reads for the checks. No act changes it. */
  witness: SimCaller | null = null
  #facts: Facts | null = null
  readonly #options: WorldOptions
  readonly #chance: SeededRandom
  readonly #watchers: Watcher[] = []
  readonly #closing: (() => void)[] = []
  /** The first violation, which ends the run. */
  violation: Violation | null = null
  /** Id of the integration that must not distinguish the homes of a pair. */
  observer: string | null = null
  #life: GatewayLife | null = null
  /** Number of the current folder. Only a crash begins a new one. */
  #lives = 0
  #starts = 0
  #names = 0

  constructor(options: WorldOptions, answering: (world: World) => Answering) {
    const { seed, turns } = options
    this.seed = seed
    this.turns = turns
    this.#options = options
    this.#chance = new SeededRandom(seed)
    this.journal = new Journal(options.keepsLines)
    const home = makeHome(this.#chance.fork('home'))
    this.clock = new SimulatedClock(home.start, turns)
    this.home = options.isReplica ? { ...home, content: replicaOf(home.content), rules: EXTRA_RULES } : home
    this.house = new SimulatedHouse({ clock: this.clock.forHouse(), seed, plan: this.home.plan, people: false })
    const reaches = (): boolean =>
      this.running && !['line', 'down', 'disk'].some((kind) => this.troubled(kind, CALM_MS))
    const [now, wall] = [() => this.now, () => this.clock.now()]
    this.physical = new PhysicalUnits({ house: this.house, now, wall, reaches })
    this.tenures = new Tenures(this.physical)
    this.answering = answering(this)
  }

  /** Updates the tenures. While the gateway is off, its last tables count. */
  lookAtUnits(): void {
    if (this.#life !== null) this.#facts = this.facts()
    if (this.#facts !== null) this.tenures.look(this.#facts, { now: this.now, wall: this.clock.now() })
  }

  /** The running gateway. */
  get life(): GatewayLife {
    if (this.#life === null) throw new Error('The gateway is off.')
    return this.#life
  }

  get running(): boolean {
    return this.#life !== null
  }

  get now(): number {
    return this.clock.monotonic()
  }

  /** The current structure. */
  get content(): HouseContent {
    return this.life.home.house.content()
  }

  get isReplica(): boolean {
    return this.#options.isReplica
  }

  /** The structure that both homes of a pair have. */
  get known(): HouseContent {
    return withoutExtra(this.content)
  }

  facts(): Facts {
    return factsOf(this.life.files.stores.core)
  }

  configuration(): string {
    return configurationOf(this.life.files.stores.core)
  }

  watch(watcher: Watcher): void {
    this.#watchers.push(watcher)
  }

  note(line: string): void {
    this.journal.note(this.now, line)
  }

  /** A unique name. */
  newName(): string {
    this.#names += 1
    return `Zn${this.#names}z`
  }

  /** Randomness for one act or part, independent of others. */
  chance(label: string): SeededRandom {
    return this.#chance.fork(label)
  }

  /** Calls checks. A thrown violation ends the run. */
  guarded(notify: () => void): void {
    if (this.violation !== null) return
    try {
      notify()
    } catch (error) {
      this.violation = violationOf(error)
      this.clock.end()
    }
  }

  trouble(kind: string, ms: number): void {
    if (kind !== 'clock') this.physical.doubt(this.now - ON_ITS_WAY_MS)
    this.troubles.set(kind, Math.max(this.troubles.get(kind) ?? 0, this.now + ms))
  }

  /** True during a fault of this kind and for `sinceMs` afterwards. */
  troubled(kind: string, sinceMs = 0): boolean {
    return (this.troubles.get(kind) ?? -Infinity) + sinceMs > this.now
  }

  /** Starts the gateway for the first time. */
  begin(): void {
    this.#open(nextFolder(this.#options.folder, this.#lives), null)
  }

  /** Passes the time until the gateway has read its units. */
  async settleIn(): Promise<void> {
    await this.clock.passTo(this.now + SETTLED_MS, () => 0)
    this.clock.takePulse()
  }

  /** Starts the gateway again with the files of the last stop or crash. */
  start(): void {
    const folder = join(this.#options.folder, String(this.#lives))
    this.#open(folder, this.#serial)
    this.clock.stayAwake(AFTER_START_MS)
  }

  /** Shuts down cleanly. The next start has the same files. */
  async stop(): Promise<void> {
    const { life } = this
    this.guarded(() => this.#watchers.forEach((watcher) => watcher.ends?.()))
    this.#life = null
    this.answering.forget()
    await life.stop()
    await this.settle()
  }

  /**
   * Cuts the power. Writes before `mark` survive, and a random part of the later ones. The history keeps at least its
   * synced part.
   */
  crash(mark: DiskMark | null, chance: SeededRandom): void {
    const { folder, files, kill, closeFiles } = this.life
    this.physical.doubt(0)
    this.guarded(() => this.#watchers.forEach((watcher) => watcher.ends?.()))
    const { least, most: core } = files.coreRange()
    const log = files.historySynced.range()
    kill()
    this.#lives += 1
    const next = nextFolder(this.#options.folder, this.#lives)
    const { inPair } = this.#options
    const cut = inPair ? core : chance.whole(Math.min(mark?.frames ?? core, least), core)
    copyAsCut(join(folder, CORE), join(next, CORE), cut, chance)
    copyAsCut(join(folder, HISTORY), join(next, HISTORY), inPair ? log.most : chance.whole(log.least, log.most), chance)
    // A revocation is noted in a file after its commit to core.db.
    const revoked = mark === null || cut === core ? textIn(join(folder, REVOKED)) : mark.revoked
    writeFileSync(join(next, REVOKED), revoked)
    keepOverCrash(folder, next)
    // The files stay open until the end of the run, because promises of the dead process may still settle.
    this.#closing.push(closeFiles)
    this.#life = null
    this.answering.forget()
    this.clock.reboot()
  }

  /** True while a cover or gate moves. */
  moves(): boolean {
    return this.house.house.units.some((unit) =>
      unit.states().some(({ state }) => 'move' in state && state.move !== 'stopped'),
    )
  }

  /** Begins a change that a power cut may interrupt. Returns the state of the disk. */
  markDisk(): DiskMark {
    const { folder } = this.life
    this.guarded(() => this.#watchers.forEach((watcher) => watcher.marked?.()))
    return { frames: markOfLog(join(folder, CORE)).frames, revoked: textIn(join(folder, REVOKED)) }
  }

  async pass(until: number): Promise<void> {
    await this.clock.passTo(until, () => this.#restMs())
  }

  async settle(): Promise<void> {
    await this.turns.settle()
  }

  async close(): Promise<void> {
    if (this.#life !== null) await this.stop()
    this.house.stop()
    for (const close of this.#closing) close()
  }

  #serial: string | null = null

  #open(folder: string, serial: string | null): void {
    const { defect } = this.#options
    const { clock, log, house, home } = this
    // Each start has its own randomness, so that ids of credentials stay unique.
    const own = this.#chance.fork(`start ${this.#starts++}`)
    // One home of a pair draws and writes more than the other. Separate randomness and instant syncs keep the
    // observer's responses equal.
    const { inPair } = this.#options
    const random = inPair ? new RandomOfMoments(own, () => this.now) : own
    const syncMs = inPair ? () => 0 : syncMsBy(random)
    const settle = (): Promise<void> => this.settle()
    this.#life = openLife({ folder, serial, clock, random, log, house, home, defect, syncMs, settle })
    this.#serial = this.#life.files.stores.serial
    this.#life.home.events.on((event) => {
      this.guarded(() => this.#watchers.forEach((watcher) => watcher.event?.(event)))
    })
    this.#life.home.start()
    this.guarded(() => this.#watchers.forEach((watcher) => watcher.begun?.()))
  }

  /** Time until a minute before the next timed run. */
  #restMs(): number {
    if (this.#life === null || this.answering.waiting > 0 || this.moves()) return 0
    if (this.#options.inPair && this.troubled('disk', STORED_AGAIN_MS)) return 0
    const { rules } = this.#life.home
    const times = [
      ...rules.schedules.list().map(({ id }) => rules.timed.nextOf('schedule', id)),
      ...rules.automations.list().map(({ id }) => rules.timed.nextOf('automation', id)),
    ]
    return Math.min(...times.map((at) => at ?? Infinity)) - this.clock.now() - BEFORE_RUN_MS
  }
}
