import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { arrive, letIn, planOf, type PlannedAct } from './acts/plan.ts'
import { Answering } from './world/sim-calls.ts'
import { answers, hidden } from './checks/answers.ts'
import { billed } from './checks/billed.ts'
import { bounded, copied, durable } from './checks/stored.ts'
import { cached, current, quiet } from './checks/current.ts'
import type { RunCheck, CheckMaker } from './checks/run-check.ts'
import { keepsHistory, once, recorded } from './checks/recorded.ts'
import { opened } from './checks/opened.ts'
import { replaced } from './checks/replaced.ts'
import { type PlantedDefect, NO_DEFECT } from './world/planted-defect.ts'
import { differenceOf, restAlike, observerLog } from './world/replica.ts'
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
  keepsHistory,
  bounded,
  replaced,
  current,
  billed,
  quiet,
]
/** The home is at rest after this long without an act or fault. */
const REST_MS = 3 * 60_000
/** By then the effects of an act have arrived without a timer of the gateway, for example reports of a unit. */
const REPORTED_MS = 4_000

export interface RunOptions {
  readonly seed: number
  readonly days: number
  /** Parent folder of the home's temporary files. */
  readonly folder: string
  readonly defect?: PlantedDefect
  /** Indices of the acts to perform; undefined for all. */
  readonly only?: ReadonlySet<number>
  readonly keepsLines?: boolean
}

export interface RunOutcome {
  readonly seed: number
  readonly violation: { readonly invariant: string; readonly what: string } | null
  /** Hash of the journal. */
  readonly hash: string
  readonly acts: readonly PlannedAct[]
  /** Simulated days that passed. */
  readonly days: number
  readonly lines: readonly string[]
}

/** Every so many seeds the home also runs as its replica. */
const PAIRED_EVERY = 5

/** Runs one home for some days. Equal options give equal outcomes, to the byte. */
export async function run(options: RunOptions): Promise<RunOutcome> {
  const inPair = options.seed % PAIRED_EVERY === 0
  const { observed, ...outcome } = await runOne(options, { inPair, isReplica: false })
  if (!inPair || outcome.violation !== null) return outcome
  const replica = await runOne(options, { inPair, isReplica: true })
  const what = differenceOf(observed, replica.observed)
  return { ...outcome, violation: what === null ? replica.violation : { invariant: 'same', what } }
}

type ObservedOutcome = RunOutcome & { readonly observed: readonly string[] }

async function runOne(
  options: RunOptions,
  as: { readonly inPair: boolean; readonly isReplica: boolean },
): Promise<ObservedOutcome> {
  const { seed, days, only, defect = NO_DEFECT, keepsLines = false } = options
  const folder = mkdtempSync(join(options.folder, 'home-'))
  const turns = new Turns()
  using _turns = turns.install()
  const world = new World({ seed, folder, defect, turns, keepsLines, ...as }, (its) => new Answering(its))
  const observed = as.inPair ? observerLog(world) : []
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
  return { seed, violation, hash: journal.digest(), acts, days: world.now / DAY_MS, lines: journal.lines, observed }
}

async function live(
  world: World,
  checks: readonly RunCheck[],
  acts: readonly PlannedAct[],
  days: number,
): Promise<void> {
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

async function perform(world: World, checks: readonly RunCheck[], { index, kind }: PlannedAct): Promise<void> {
  if (!world.running && kind.always !== true) return
  world.note(`act ${index}: ${kind.name}`)
  world.clock.stayAwake(REPORTED_MS)
  const begun = kind.run(world, world.chance(`act ${index}`))
  if (kind.atOnce === true) await begun
  await world.settle()
  world.guarded(() => checks.forEach((check) => check.afterAct?.()))
}

async function rest(world: World, checks: readonly RunCheck[]): Promise<void> {
  await world.pass(world.now + REST_MS)
  // After a violation no timer runs, so a moving cover would never stop.
  while (world.running && world.violation === null && world.moves()) await world.pass(world.now + 1_000)
  world.clock.stayAwake(REPORTED_MS)
  await world.pass(world.now + REPORTED_MS)
  world.guarded(() => checks.forEach((check) => check.afterAct?.()))
  if (!world.running || world.troubled('line', REST_MS) || world.troubled('down', REST_MS)) return
  world.guarded(() => checks.forEach((check) => check.atRest?.()))
}
