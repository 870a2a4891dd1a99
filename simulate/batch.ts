import type { Arguments } from './arguments.ts'
import type { Outcome } from './run.ts'
import { INVARIANTS, type Invariant } from './world/journal.ts'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type Plant, SOUND } from './world/plant.ts'
import { PLANTS } from './plants.ts'

/** What of an outcome leaves the worker that ran it. */
export type Summary = Pick<Outcome, 'seed' | 'violation' | 'hash' | 'days'> & { readonly made: number }

export function report({ seed, violation, hash, days, ...rest }: Summary | Outcome): string {
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

/** The command that makes the same run again. */
export function commandOf({ days, plant }: Arguments, { seed, acts }: Outcome): string {
  const planted = plant === undefined ? '' : ` --plant ${plant}`
  return `npm run simulate -- --seeds ${seed} --days ${days}${planted} --acts ${acts.map(({ index }) => index).join(',') || "''"}`
}

/** Where Linux keeps files in memory. */
const IN_MEMORY = '/dev/shm'

export function folderInMemory(): string {
  return existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir()
}

/** @throws Error where no defect has that name. */
export function plantNamed(name: string | undefined): Plant {
  if (name === undefined) return SOUND
  const plant = PLANTS.get(name)
  if (plant === undefined) throw new Error(`There is no planted defect ${name}: ${[...PLANTS.keys()].join(', ')}.`)
  return plant
}

/** What a worker is started with; it is sent one seed after the other. */
export interface WorkerTask {
  readonly days: number
  readonly plant: string | undefined
  readonly folder: string
}

/** Runs all seeds, so many at a time; resolves with the outcomes in the order of their seeds. */
export async function runAll(asked: Arguments, done: (outcome: Summary) => void): Promise<Summary[]> {
  const { seeds, days, plant, workers } = asked
  plantNamed(plant)
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
