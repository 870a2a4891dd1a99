// Runs checks in parallel and prints the output of each in one piece.

import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { GATEWAY_FLAGS } from '../../scripts/gateway-flags.mjs'

const CLIENT_TESTS = join(import.meta.dirname, '../../python/client/tests')

/** Lines to show of a failed check: its summary and its last failure. */
const LAST_LINES = 40

/** One program with its arguments. It prints its own errors. */
export interface CheckProgram {
  readonly name: string
  readonly run: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** Runs lanes in parallel, and all checks of a lane in order. Returns true if all pass. */
export async function passed(lanes: readonly (readonly CheckProgram[])[], folder: string): Promise<boolean> {
  const results = await Promise.all(lanes.map((lane) => laneOf(lane, folder)))
  return results.flat().every(Boolean)
}

async function laneOf(lane: readonly CheckProgram[], folder: string): Promise<boolean[]> {
  const results: boolean[] = []
  for (const check of lane) results.push(await ran(check, folder))
  return results
}

async function ran({ name, run: [program = '', ...args], env }: CheckProgram, folder: string): Promise<boolean> {
  const began = performance.now()
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => chunks.push(bytes))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const text = Buffer.concat(chunks).toString('utf8').trim()
  console.log(text)
  console.log(`${code === 0 ? 'passed' : 'FAILED'} ${name}, ${seconds} s`)
  if (code !== 0) remember(`${name}\n${text.split('\n').slice(-LAST_LINES).join('\n')}\n`)
  return code === 0
}

/** To the file that continuous integration repeats at its end. */
function remember(failed: string): void {
  const file = process.env['HM_FAILURES']
  if (file !== undefined) appendFileSync(file, failed)
}

const environment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  HM_NODE: process.execPath,
  HM_GATEWAY_FLAGS: GATEWAY_FLAGS.join(' '),
  PYTHONPATH: CLIENT_TESTS,
  PYTHONDONTWRITEBYTECODE: '1',
})
