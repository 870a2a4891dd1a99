import { setTimeout as pause } from 'node:timers/promises'
import { type Form, type Program, startProgram, withForms } from './program.ts'
import type { Usage } from './processes.ts'
import { report } from './report.ts'
import { scratch } from './scratch.ts'

/** By then a started gateway has synced its units. */
const SETTLE_MS = 30_000
const HOUR_S = 3_600

interface Home {
  readonly work: string
  readonly form: Form
  readonly env: Readonly<Record<string, string>>
  /** CPU seconds an hour, and wakeups a second. */
  readonly most: readonly [cpu: number, wakeups: number] | null
}

/** Processor time and wakeups of homes without clients, all at once for some minutes. */
export async function rest(minutes: number): Promise<void> {
  await withForms(async (image, npmStart) => {
    await using stack = new AsyncDisposableStack()
    const homes: readonly Home[] = [
      { work: 'demo home (34 units), simulator', form: image, env: {}, most: [10, 18] },
      { work: 'demo home, no bus', form: image, env: { HM_HMHC: '/dev/hm-no-adapter' }, most: [4, 6] },
      { work: '300 units, simulator', form: image, env: { HM_HMHC: 'sim:units=300' }, most: null },
      { work: 'demo home, simulator', form: npmStart, env: {}, most: null },
    ]
    const programs: Program[] = []
    for (const home of homes) programs.push(await settled(home, stack))
    await pause(SETTLE_MS)
    const samples = [programs.map(sample)]
    for (let minute = 0; minute < minutes; minute += 1) {
      await pause(Math.min(1, minutes - minute) * 60_000)
      samples.push(programs.map(sample))
    }
    for (const [index, home] of homes.entries())
      tell(
        home,
        samples.map((row) => row[index] as Sample),
      )
  })
}

/** A start with the data folder of an earlier one. */
async function settled({ form, env }: Home, stack: AsyncDisposableStack): Promise<Program> {
  const folder = stack.use(scratch())
  const simulated = env['HM_HMHC']?.startsWith('sim') === false ? {} : env
  await (await startProgram(form, folder.path, simulated))[Symbol.asyncDispose]()
  return stack.use(await startProgram(form, folder.path, env))
}

interface Sample {
  readonly atMs: number
  readonly usage: Usage
}

const sample = (program: Program): Sample => ({
  atMs: performance.now(),
  usage: program.usage(),
})

/** CPU seconds an hour, and wakeups a second. */
function rateOf(from: Sample, to: Sample): readonly [cpu: number, wakeups: number] {
  const seconds = (to.atMs - from.atMs) / 1_000
  const [before, after] = [from.usage, to.usage]
  return [((after.cpuMs - before.cpuMs) / 1_000 / seconds) * HOUR_S, (after.wakeups - before.wakeups) / seconds]
}

const rateText = ([cpu, wakeups]: readonly [number, number]): string => `${cpu.toFixed(1)} s/h, ${wakeups.toFixed(1)}/s`

function tell({ work, form, most }: Home, samples: readonly Sample[]): void {
  const [first, last] = [samples[0] as Sample, samples.at(-1) as Sample]
  const rate = rateOf(first, last)
  const minutes = samples.slice(1).map((to, index) => rateOf(samples[index] as Sample, to)[0])
  const range = `${Math.min(...minutes).toFixed(1)}-${Math.max(...minutes).toFixed(1)} s/h in single minutes`
  const memory = `${last.usage.residentMiB} (${last.usage.privateDirtyMiB}) MiB at the end`
  report({
    work: `at rest, ${work}, ${form.name}`,
    figure: rateText(rate),
    target: most === null ? '-' : `<= ${most[0]} s/h, ${most[1]}/s`,
    met: most === null ? null : rate[0] <= most[0] && rate[1] <= most[1],
    detail: `CPU and wakeups over ${((last.atMs - first.atMs) / 60_000).toFixed(1)} min; ${range}; ${memory}`,
  })
}
