import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { arrive, letIn, planOf, type PlannedAct } from './acts/plan.ts'
import { Answering } from './world/answering.ts'
import { answers, hidden } from './checks/answers.ts'
import { billed } from './checks/billed.ts'
import { bounded, copied, durable } from './checks/stored.ts'
import { cached, current, quiet } from './checks/current.ts'
import type { Check, CheckMaker } from './checks/check.ts'
import { kept, once, recorded } from './checks/recorded.ts'
import { opened } from './checks/opened.ts'
import { replaced } from './checks/replaced.ts'
import { type Plant, SOUND } from './world/plant.ts'
import { differenceOf, restAlike, toldToObserver } from './world/shadow.ts'
import { Turns } from './world/clock.ts'
import { World } from './world/world.ts'
import { DAY_MS } from '../src/lib/durations.ts'

const CHECKS: readonly CheckMaker[] = [
  answers,
  hidden,
  durable,
  copied,
  opened,
  recorded,
  cached,
  once,
  kept,
  bounded,
  replaced,
  current,
  billed,
  quiet,
]
/** After this long without an act or trouble the home is at rest. */
const REST_MS = 3 * 60_000
/** What follows from an act without a timer of the gateway has come through by then, as what a unit reports. */
const REPORTED_MS = 4_000

export interface RunOptions {
  readonly seed: number
  readonly days: number
  /** Where the files of the home are made, and removed again. */
  readonly folder: string
  readonly plant?: Plant
  /** The acts that are made, by index; all where it is not given. */
  readonly only?: ReadonlySet<number>
  readonly keepsLines?: boolean
}

export interface Outcome {
  readonly seed: number
  readonly violation: { readonly invariant: string; readonly what: string } | null
  /** Of everything that was told. */
  readonly hash: string
  readonly acts: readonly PlannedAct[]
  /** Simulated days that passed. */
  readonly days: number
  readonly lines: readonly string[]
}

/** So many seeds have one whose home is run once more, as its shadow. */
const PAIRED_EVERY = 5

/** Runs one home for some days. The same options give the same outcome, to the byte. */
export async function run(options: RunOptions): Promise<Outcome> {
  const inPair = options.seed % PAIRED_EVERY === 0
  const { told, ...outcome } = await runOne(options, { inPair, isShadow: false })
  if (!inPair || outcome.violation !== null) return outcome
  const shadow = await runOne(options, { inPair, isShadow: true })
  const what = differenceOf(told, shadow.told)
  return { ...outcome, violation: what === null ? shadow.violation : { invariant: 'same', what } }
}

type Told = Outcome & { readonly told: readonly string[] }

async function runOne(
  options: RunOptions,
  as: { readonly inPair: boolean; readonly isShadow: boolean },
): Promise<Told> {
  const { seed, days, only, plant = SOUND, keepsLines = false } = options
  const folder = mkdtempSync(join(options.folder, 'home-'))
  const turns = new Turns()
  using _turns = turns.install()
  const world = new World({ seed, folder, plant, turns, keepsLines, ...as }, (its) => new Answering(its))
  const told = as.inPair ? toldToObserver(world) : []
  if (as.inPair) restAlike(world)
  const checks = CHECKS.map((make) => make(world))
  let acts: readonly PlannedAct[] = []
  try {
    world.begin()
    await arrive(world)
    await letIn(world)
    world.guarded(() => checks.forEach((check) => check.afterAct?.()))
    acts = planOf(seed, days, world.now).filter(({ index }) => only?.has(index) ?? true)
    await live(world, checks, acts, days)
  } finally {
    await world.close()
    await turns.settle()
    rmSync(folder, { recursive: true, force: true })
  }
  const { journal } = world
  const violation = world.violation && { invariant: world.violation.invariant, what: world.violation.message }
  return { seed, violation, hash: journal.digest(), acts, days: world.now / DAY_MS, lines: journal.lines, told }
}

async function live(world: World, checks: readonly Check[], acts: readonly PlannedAct[], days: number): Promise<void> {
  const end = world.now + days * DAY_MS
  for (const [place, act] of acts.entries()) {
    await world.pass(act.at)
    if (world.violation !== null) return
    await perform(world, checks, act)
    const next = acts[place + 1]?.at ?? end
    if (next - world.now > REST_MS) await rest(world, checks)
  }
  await world.pass(end)
  world.guarded(() => checks.forEach((check) => check.afterAct?.()))
}

async function perform(world: World, checks: readonly Check[], { index, kind }: PlannedAct): Promise<void> {
  if (!world.running && kind.always !== true) return
  world.note(`act ${index}: ${kind.name}`)
  world.clock.stayAwake(REPORTED_MS)
  const begun = kind.run(world, world.chance(`act ${index}`))
  if (kind.atOnce === true) await begun
  await world.settle()
  world.guarded(() => checks.forEach((check) => check.afterAct?.()))
}

async function rest(world: World, checks: readonly Check[]): Promise<void> {
  await world.pass(world.now + REST_MS)
  // After a violation no timer runs any more: what is on its way would never arrive.
  while (world.running && world.violation === null && world.moves()) await world.pass(world.now + 1_000)
  world.clock.stayAwake(REPORTED_MS)
  await world.pass(world.now + REPORTED_MS)
  world.guarded(() => checks.forEach((check) => check.afterAct?.()))
  if (!world.running || world.troubled('line', REST_MS) || world.troubled('down', REST_MS)) return
  world.guarded(() => checks.forEach((check) => check.atRest?.()))
}
