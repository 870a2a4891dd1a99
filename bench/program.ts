import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '#support/free-port.ts'
import { buildGateway, buildPrograms } from '../scripts/gateway-build.mjs'
import { GATEWAY_ENV, GATEWAY_FLAGS } from '../scripts/gateway-flags.mjs'
import { ALL_CORES, pin, processTree, type Usage, usageOf } from './processes.ts'

const ROOT = join(import.meta.dirname, '..')

/** A form of the gateway's program, with its command. */
export interface Form {
  readonly name: 'as the image' | 'npm start' | 'libraries alone'
  readonly command: readonly string[]
}

/** A gateway that runs as people run it. */
export interface Program extends AsyncDisposable {
  readonly pid: number
  /** Time until the banner in milliseconds. */
  readonly startMs: number
  /** Processor time of all processes until the banner in milliseconds, hardly affected by other load. */
  readonly startCpuMs: number
  /** The gateway and its helpers. */
  usage(): Usage
}

/** Builds the image's bundle. Runs the function with both forms, and with the libraries alone. */
export async function withForms(run: (image: Form, npmStart: Form, libraries: Form) => Promise<void>): Promise<void> {
  // A folder inside the checkout, because a bundle finds packages and resources relative to itself.
  const folder = join(ROOT, 'node_modules/.cache', `bench-built-${process.pid}`)
  try {
    await buildGateway({ root: ROOT, folder })
    await buildPrograms(ROOT, { [join(folder, 'libraries')]: { libraries: 'bench/libraries.ts' } })
    const node = process.execPath
    await run(
      { name: 'as the image', command: [node, ...GATEWAY_FLAGS, join(folder, 'gateway.mjs')] },
      { name: 'npm start', command: [node, join(ROOT, 'scripts/run.mjs'), 'start'] },
      { name: 'libraries alone', command: [node, ...GATEWAY_FLAGS, join(folder, 'libraries/libraries.mjs')] },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts a gateway. Resolves after its banner. */
export async function startProgram(
  { command }: Form,
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const [file = '', ...args] = command
  const port = String(await freePort())
  const own = {
    HM_DATA_DIR: dataDir,
    HM_PORT: port,
    HM_HOST: '127.0.0.1',
    HM_LOG_LEVEL: 'error',
    npm_lifecycle_event: 'start',
  }
  const begun = performance.now()
  const child = spawn(file, args, {
    env: { ...process.env, ...GATEWAY_ENV, ...own, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = child.pid ?? 0
  pin(pid, ALL_CORES)
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('the gateway did not start'))),
  ])
  const startMs = performance.now() - begun
  return {
    pid,
    startMs,
    startCpuMs: usageOf(processTree(pid)).cpuMs,
    usage: () => usageOf(processTree(pid)),
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
