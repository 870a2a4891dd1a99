import { setTimeout as pause } from 'node:timers/promises'
import { type Form, type Program, startProgram, withForms } from './program.ts'
import { atMost, median, report } from './report.ts'
import { scratch } from './scratch.ts'

const STARTS = 5
const START_MS_MAX = 250
/** By then a started gateway has synced its units and rests. */
const SETTLE_MS = 10_000
const UNITS_300 = { HM_HMHC: 'sim:units=300' }

/** Upper bounds in MiB; without one the figure is a floor. */
interface MemoryTarget {
  readonly resident?: number
  readonly privateDirty?: number
}

/** Time from the start to the banner with an existing data folder, and memory after a first and after a later start. */
export async function startUp(): Promise<void> {
  await withForms(async (image, npmStart, libraries) => {
    for (const [form, moreMiB] of [
      [image, 0],
      [npmStart, 5],
    ] as const) {
      await starts(form)
      using demo = scratch()
      await once(form, demo.path)
      await memory(`demo home, ${form.name}`, { resident: 92 + moreMiB, privateDirty: 38 + moreMiB }, () =>
        startProgram(form, demo.path),
      )
      using large = scratch()
      const start = (): Promise<Program> => startProgram(form, large.path, UNITS_300)
      await memory(`300 units, first start, ${form.name}`, { resident: 150 + moreMiB }, start)
      await memory(`300 units, ${form.name}`, { resident: 104 + moreMiB }, start)
    }
    await starts(libraries, null)
    using none = scratch()
    await memory(libraries.name, {}, () => startProgram(libraries, none.path))
  })
}

async function once(form: Form, dataDir: string): Promise<Program> {
  await using program = await startProgram(form, dataDir)
  return program
}

async function starts(form: Form, most: number | null = START_MS_MAX): Promise<void> {
  using folder = scratch()
  await once(form, folder.path)
  const runs: Program[] = []
  while (runs.length < STARTS) runs.push(await once(form, folder.path))
  const times = runs.map(({ startMs }) => startMs)
  const range = `${Math.min(...times).toFixed(0)}-${Math.max(...times).toFixed(0)} ms in ${STARTS} starts`
  const cpuMs = median(runs.map(({ startCpuMs }) => startCpuMs)).toFixed(0)
  const detail = `${range}, ${cpuMs} ms of CPU`
  atMost(`start to listening, existing folder, ${form.name}`, median(times), { most, unit: 'ms', detail })
}

/** Reports the memory of a gateway at rest. */
async function memory(
  work: string,
  { resident, privateDirty }: MemoryTarget,
  start: () => Promise<Program>,
): Promise<void> {
  await using program = await start()
  await pause(SETTLE_MS)
  const { residentMiB, privateDirtyMiB } = program.usage()
  report({
    work: `memory at rest, ${work}`,
    figure: `${residentMiB} (${privateDirtyMiB}) MiB`,
    target:
      resident === undefined ? '-' : `<= ${resident}${privateDirty === undefined ? '' : ` (${privateDirty})`} MiB`,
    met: resident === undefined ? null : residentMiB <= resident && privateDirtyMiB <= (privateDirty ?? Infinity),
    detail: `resident (private dirty), ${SETTLE_MS / 1_000} s after the start`,
  })
}
