import type { Random } from '../../src/lib/random.ts'
import { SeededRandom } from '../../src/sim/model/seeded-random.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HouseContent } from '../../src/home/ports/house-store.ts'
import { SimulatedHouse } from '../../src/sim/simulated-house.ts'
import type { Answering, Caller } from './answering.ts'
import { SimulatedClock, type Turns } from './clock.ts'
import { CORE, copyAsCut, HISTORY, REVOKED, markOfLog, nextFolder, textIn, syncMsBy, keepOverCrash } from './stores.ts'
import { type Life, openLife } from './gateway.ts'
import { makeHome, type SimulatedHome } from './house.ts'
import { Journal, SimulatedLog, type Violation, violationOf, type DiskMark, type Watcher } from './journal.ts'
import type { Plant } from './plant.ts'
import { PhysicalUnits } from './physical-units.ts'
import { Tenures, configurationOf, type Facts, factsOf } from './truth.ts'
import { EXTRA_RULES, shadowOf, withoutExtra } from './shadow.ts'

/** Randomness of which each moment has a row of its own: who draws more at one moment changes what no other gets. */
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

/** The gateway has found its units by then, and has read them. */
const SETTLED_MS = 5 * 60_000
/** By then a gateway that started has begun to look for its units: its timers keep the home awake. */
const AFTER_START_MS = 10_000

interface WorldOptions {
  readonly seed: number
  readonly folder: string
  readonly plant: Plant
  readonly turns: Turns
  readonly keepsLines: boolean
  /** Whether it is one of a pair: nothing that was written is lost, so that no part of the home is by chance. */
  readonly inPair: boolean
  /** Whether the home differs from what its seed says in what the observer does not see. */
  readonly isShadow: boolean
}

/** After a fault everything is as before by then. */
const CALM_MS = 60_000
/** A report takes less than this to the gateway. */
export const ON_ITS_WAY_MS = 5_000
/** The home is awake again so long before the clock sets something off. */
const BEFORE_RUN_MS = 65_000
/** Once the disk takes writes again, until a run that only one home of a pair has is stored and over. */
const KEPT_AGAIN_MS = 3 * 60_000

/** One home with everything around it: its house, its gateway, and the time. */
export class World {
  readonly seed: number
  readonly clock: SimulatedClock
  readonly house: SimulatedHouse
  readonly home: SimulatedHome
  readonly journal: Journal
  readonly log = new SimulatedLog()
  readonly turns: Turns
  /** Times at which something was out of order, by what it was: `disk`, `line`, `clock`, `down`; until when. */
  readonly troubles = new Map<string, number>()
  readonly physical: PhysicalUnits
  readonly tenures: Tenures
  readonly answering: Answering
  /** Reads everything that the checks compare; no act touches it. */
  witness: Caller | null = null
  #facts: Facts | null = null
  readonly #options: WorldOptions
  readonly #chance: SeededRandom
  readonly #watchers: Watcher[] = []
  readonly #closing: (() => void)[] = []
  /** What did not hold first; the run ends with it. */
  violation: Violation | null = null
  /** The integration to which pairs of homes are the same. */
  observer: string | null = null
  #life: Life | null = null
  /** Folders so far: a start after a stop has the one before. */
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
    this.home = options.isShadow ? { ...home, content: shadowOf(home.content), rules: EXTRA_RULES } : home
    this.house = new SimulatedHouse({ clock: this.clock.forHouse(), seed, plan: this.home.plan, people: false })
    const reaches = (): boolean =>
      this.running && !['line', 'down', 'disk'].some((kind) => this.troubled(kind, CALM_MS))
    const [now, wall] = [() => this.now, () => this.clock.now()]
    this.physical = new PhysicalUnits({ house: this.house, now, wall, reaches })
    this.tenures = new Tenures(this.physical)
    this.answering = answering(this)
  }

  /** Notes which physical unit each id names now; the tables of a gateway that is off do not change. */
  lookAtUnits(): void {
    if (this.#life !== null) this.#facts = this.facts()
    if (this.#facts !== null) this.tenures.look(this.#facts, { now: this.now, wall: this.clock.now() })
  }

  /** The gateway as it runs. */
  get life(): Life {
    if (this.#life === null) throw new Error('The gateway is off.')
    return this.#life
  }

  get running(): boolean {
    return this.#life !== null
  }

  get now(): number {
    return this.clock.monotonic()
  }

  /** The structure, as it is now. */
  get content(): HouseContent {
    return this.life.home.house.content()
  }

  get isShadow(): boolean {
    return this.#options.isShadow
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

  /** A name that nothing else has had. */
  newName(): string {
    this.#names += 1
    return `Zn${this.#names}z`
  }

  /** Randomness for one act or part, whatever others draw. */
  chance(label: string): SeededRandom {
    return this.#chance.fork(label)
  }

  /** Tells somebody who holds the run to something; what is thrown ends it. */
  guarded(tell: () => void): void {
    if (this.violation !== null) return
    try {
      tell()
    } catch (error) {
      this.violation = violationOf(error)
      this.clock.end()
    }
  }

  trouble(kind: string, ms: number): void {
    if (kind !== 'clock') this.physical.doubt(this.now - ON_ITS_WAY_MS)
    this.troubles.set(kind, Math.max(this.troubles.get(kind) ?? 0, this.now + ms))
  }

  /** Whether something of this kind is out of order, or was within the last `sinceMs`. */
  troubled(kind: string, sinceMs = 0): boolean {
    return (this.troubles.get(kind) ?? -Infinity) + sinceMs > this.now
  }

  /** The first start. */
  begin(): void {
    this.#open(nextFolder(this.#options.folder, this.#lives), null)
  }

  /** Passes the time until the gateway has read its units. */
  async settleIn(): Promise<void> {
    await this.clock.passTo(this.now + SETTLED_MS, () => 0)
    this.clock.takePulse()
  }

  /** Starts the gateway again, on what the last stop or crash left. */
  start(): void {
    const folder = join(this.#options.folder, String(this.#lives))
    this.#open(folder, this.#serial)
    this.clock.stayAwake(AFTER_START_MS)
  }

  /** Stops in order; the next start finds the same files. */
  async stop(): Promise<void> {
    const { life } = this
    this.guarded(() => this.#watchers.forEach((watcher) => watcher.ends?.()))
    this.#life = null
    this.answering.forget()
    await life.stop()
    await this.settle()
  }

  /**
   * Power goes: of what was written since `mark` some is there, of all before everything; of the history what was
   * synced, and perhaps more.
   */
  crash(mark: DiskMark | null, chance: SeededRandom): void {
    const { folder, files, kill, letGo } = this.life
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
    // What ends a credential is noted beside core.db once it is committed there.
    const revoked = mark === null || cut === core ? textIn(join(folder, REVOKED)) : mark.revoked
    writeFileSync(join(next, REVOKED), revoked)
    keepOverCrash(folder, next)
    // What the dead process still holds open is let go at the end: its promises may yet come.
    this.#closing.push(letGo)
    this.#life = null
    this.answering.forget()
    this.clock.reboot()
  }

  /** Whether a cover or gate is on its way. */
  moves(): boolean {
    return this.house.house.units.some((unit) =>
      unit.states().some(({ state }) => 'move' in state && state.move !== 'stopped'),
    )
  }

  /** A change begins that the power may cut off; what is on the disk by now. */
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
    const { plant } = this.#options
    const { clock, log, house, home } = this
    // Each start draws what no start has drawn, as ids of credentials.
    const own = this.#chance.fork(`start ${this.#starts++}`)
    // Of a pair one home draws more and writes more than the other: neither must change what the observer is told, the
    // one by other pauses, the other by a sync that its change waits for.
    const { inPair } = this.#options
    const random = inPair ? new RandomOfMoments(own, () => this.now) : own
    const syncMs = inPair ? () => 0 : syncMsBy(random)
    const settle = (): Promise<void> => this.settle()
    this.#life = openLife({ folder, serial, clock, random, log, house, home, plant, syncMs, settle })
    this.#serial = this.#life.files.stores.serial
    this.#life.home.events.on((event) => {
      this.guarded(() => this.#watchers.forEach((watcher) => watcher.event?.(event)))
    })
    this.#life.home.start()
    this.guarded(() => this.#watchers.forEach((watcher) => watcher.begun?.()))
  }

  /** The home rests until a minute before the clock sets something off. */
  #restMs(): number {
    if (this.#life === null || this.answering.waiting > 0 || this.moves()) return 0
    if (this.#options.inPair && this.troubled('disk', KEPT_AGAIN_MS)) return 0
    const { rules } = this.#life.home
    const times = [
      ...rules.schedules.list().map(({ id }) => rules.timed.nextOf('schedule', id)),
      ...rules.automations.list().map(({ id }) => rules.timed.nextOf('automation', id)),
    ]
    return Math.min(...times.map((at) => at ?? Infinity)) - this.clock.now() - BEFORE_RUN_MS
  }
}
