import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildGateway } from '../scripts/gateway-build.mjs'
import { GATEWAY_FLAGS } from '../scripts/gateway-flags.mjs'
import { ALL_CORES, cpuNs, pin, residentMiB } from './processes.ts'
import { atMost, median } from './report.ts'
import { scratch } from './scratch.ts'

const STARTS = 5
const PORT = 18_731
/** By then a started gateway has synced its units and rests. */
const SETTLE_MS = 5_000
const ROOT = join(import.meta.dirname, '..')

/** A form of the program and its targets: time to the banner, memory of the demo house and of 300 units. */
interface Form {
  readonly name: string
  readonly main: string
  readonly startMs: number
  readonly residentMiB: readonly [demo: number, units300: number]
}

interface Started {
  readonly ms: number
  /** Processor time of all threads until the banner, hardly affected by other load. */
  readonly cpuMs: number
  readonly residentMiB: number
}

/**
 * Time from the start to the banner with an existing data folder, and the memory of an idle home. Measures the sources
 * and the bundle of the image.
 */
export async function startUp(): Promise<void> {
  // A folder inside the checkout, because a bundle finds packages and resources relative to itself.
  const built = join(ROOT, 'node_modules/.cache', `bench-built-${process.pid}`)
  const [sources, image] = [join(ROOT, 'src/main.ts'), join(built, 'gateway.mjs')]
  try {
    await buildGateway({ root: ROOT, folder: built })
    await measured({ name: 'from sources', main: sources, startMs: 300, residentMiB: [85, 110] })
    await measured({ name: 'as the image', main: image, startMs: 200, residentMiB: [75, 100] })
  } finally {
    rmSync(built, { recursive: true, force: true })
  }
}

async function measured(form: Form): Promise<void> {
  const runs = await onFolder(form.main, {}, STARTS)
  const [ms, cpuMs] = [median(runs.map((run) => run.ms)), median(runs.map((run) => run.cpuMs))]
  const detail = `median of ${STARTS}; processor time ${cpuMs.toFixed(0)} ms`
  atMost(`start to listening, existing folder, ${form.name}`, ms, { most: form.startMs, unit: 'ms', detail })
  reportMemory('demo house', form.name, runs.at(-1), form.residentMiB[0])
  const large = await onFolder(form.main, { HM_HMHC: 'sim:units=300' }, 1)
  reportMemory('300 units', form.name, large.at(-1), form.residentMiB[1])
}

function reportMemory(home: string, form: string, run: Started | undefined, target: number): void {
  const bound = { most: target, unit: 'MiB', detail: `${SETTLE_MS / 1_000} s after the start` }
  atMost(`resident memory, idle, ${home}, ${form}`, run?.residentMiB ?? Infinity, bound)
}

/** Starts again after a first start. Reads the memory of the last one after a rest. */
async function onFolder(main: string, env: Readonly<Record<string, string>>, starts: number): Promise<Started[]> {
  using dataDir = scratch()
  const start = (restMs: number): Promise<Started> => started(main, { ...env, HM_DATA_DIR: dataDir.path }, restMs)
  await start(0)
  const runs: Started[] = []
  for (let count = 1; count <= starts; count += 1) runs.push(await start(count === starts ? SETTLE_MS : 0))
  return runs
}

function started(main: string, env: Readonly<Record<string, string>>, restMs: number): Promise<Started> {
  const begun = performance.now()
  const child = spawn(process.execPath, [...GATEWAY_FLAGS, main], {
    env: { ...process.env, ...env, HM_PORT: String(PORT), HM_HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = child.pid ?? 0
  pin(pid, ALL_CORES)
  return new Promise((resolve, reject) => {
    let answer: Started | null = null
    child.stdout.once('data', () => {
      const [ms, cpuMs] = [performance.now() - begun, cpuNs(pid) / 1e6]
      setTimeout(() => {
        answer = { ms, cpuMs, residentMiB: residentMiB(pid) }
        child.kill('SIGTERM')
      }, restMs)
    })
    child.once('exit', () => (answer ? resolve(answer) : reject(new Error('the gateway did not start'))))
  })
}
