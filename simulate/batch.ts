import type { Arguments } from './arguments.ts'
import type { RunOutcome } from './run.ts'
import { INVARIANTS, type Invariant } from './world/journal.ts'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type PlantedDefect, NO_DEFECT } from './world/planted-defect.ts'
import { DEFECTS } from './planted-defects.ts'

/** The part of an outcome that a worker sends back. */
export type Summary = Pick<RunOutcome, 'seed' | 'violation' | 'hash' | 'days'> & { readonly made: number }

export function report({ seed, violation, hash, days, ...rest }: Summary | RunOutcome): string {
  const made = 'made' in rest ? rest.made : rest.acts.length
  const head = `seed ${seed}: ${days.toFixed(1)} days, ${made} acts, ${hash}`
  if (violation === null) return head
  return `${head}\n  ${violation.invariant}: ${INVARIANTS[violation.invariant as Invariant]}\n  ${violation.what}`
}

export function summary(outcomes: readonly Summary[], tookMs: number): string {
  const days = outcomes.reduce((sum, outcome) => sum + outcome.days, 0)
  const failed = outcomes.filter(({ violation }) => violation !== null).length
  const minutes = tookMs / 60_000
  return `${outcomes.length} homes, ${Math.round(days)} home-days in ${minutes.toFixed(1)} minutes, ${failed} with a violation`
}

/** The command that repeats a run. */
export function commandOf({ days, plant }: Arguments, { seed, acts }: RunOutcome): string {
  const planted = plant === undefined ? '' : ` --plant ${plant}`
  return `npm run simulate -- --seeds ${seed} --days ${days}${planted} --acts ${acts.map(({ index }) => index).join(',') || "''"}`
}

/** Linux keeps files in this folder in memory. */
const MEMORY_FOLDER = '/dev/shm'

export function folderInMemory(): string {
  return existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir()
}

/** @throws Error for an unknown name */
export function defectNamed(name: string | undefined): PlantedDefect {
  if (name === undefined) return NO_DEFECT
  const defect = DEFECTS.get(name)
  if (defect === undefined) throw new Error(`There is no planted defect ${name}: ${[...DEFECTS.keys()].join(', ')}.`)
  return defect
}

/** Start data of a worker, which then receives one seed at a time. */
export interface WorkerTask {
  readonly days: number
  readonly plant: string | undefined
  readonly folder: string
}

/** Runs all seeds, several in parallel. Resolves with the outcomes by seed. */
export async function runAll(args: Arguments, done: (outcome: Summary) => void): Promise<Summary[]> {
  const { seeds, days, plant, workers } = args
  defectNamed(plant)
  const outcomes: Summary[] = []
  let next = seeds.first
  const take = (): number | null => (next <= seeds.last ? next++ : null)
  const task: WorkerTask = { days, plant, folder: folderInMemory() }
  await Promise.all(
    Array.from({ length: workers }, () =>
      work(task, take, (outcome) => {
        outcomes.push(outcome)
        done(outcome)
      }),
    ),
  )
  return outcomes.sort((a, b) => a.seed - b.seed)
}

function work(task: WorkerTask, take: () => number | null, done: (outcome: Summary) => void): Promise<void> {
  const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: task })
  return new Promise((resolve, reject) => {
    const give = (): void => {
      const seed = take()
      if (seed === null) void worker.terminate().then(() => resolve())
      else worker.postMessage(seed, [])
    }
    worker.on('message', (outcome: Summary) => {
      done(outcome)
      give()
    })
    worker.on('error', reject)
    give()
  })
}
