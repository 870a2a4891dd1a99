import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GATEWAY_FLAGS } from '../scripts/gateway-flags.mjs'
import { residentMiB } from './processes.ts'
import { median, report } from './report.ts'

const STARTS = 5
const PORT = 18_731
/** After this long a started gateway has synced its units and rests. */
const SETTLE_MS = 5_000

/**
 * From the start of the process to the banner, with an existing data folder; and the memory of an idle home of 34
 * units.
 */
export async function startUp(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hm-bench-'))
  try {
    await started(dataDir, 0)
    const times: number[] = []
    let resident = 0
    for (let count = 0; count < STARTS; count += 1) {
      const run = await started(dataDir, count === STARTS - 1 ? SETTLE_MS : 0)
      times.push(run.ms)
      resident = run.residentMiB
    }
    const ms = median(times)
    report({
      work: 'start to listening, existing data folder',
      figure: `${ms.toFixed(0)} ms`,
      target: '<= 350 ms',
      met: ms <= 350,
      detail: 'from sources, median of 5',
    })
    report({
      work: 'resident memory, idle, demo house',
      figure: `${resident} MiB`,
      target: '<= 90 MiB',
      met: resident <= 90,
      detail: '5 s after the start',
    })
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function started(dataDir: string, restMs: number): Promise<{ ms: number; residentMiB: number }> {
  const begun = performance.now()
  const child = spawn(process.execPath, [...GATEWAY_FLAGS, join(import.meta.dirname, '../src/main.ts')], {
    env: { ...process.env, HM_DATA_DIR: dataDir, HM_PORT: String(PORT), HM_HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    let answer: { ms: number; residentMiB: number } | null = null
    child.stdout.once('data', () => {
      const ms = performance.now() - begun
      setTimeout(() => {
        answer = { ms, residentMiB: residentMiB(child.pid ?? 0) }
        child.kill('SIGTERM')
      }, restMs)
    })
    child.once('exit', () => (answer ? resolve(answer) : reject(new Error('the gateway did not start'))))
  })
}
