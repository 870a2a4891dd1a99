import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const CHILD = new URL('./crash-child.ts', import.meta.url).pathname
const ROUNDS = 12

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crash-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

async function boot(home: string, begin: 'begin' | 'resume'): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CHILD, home, begin], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

describe('kill -9 in the middle of a run', () => {
  it('makes no step twice, and the log says what happened', async () => {
    let interrupted = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const home = mkdtempSync(join(folder, 'home-'))
      const first = await boot(home, 'begin')
      // At another moment of the run each round: the kill is not to wait for anything.
      await sleep(20 + ((round * 67) % 400))
      await kill(first)
      const second = await boot(home, 'resume')
      await kill(second)
      const third = await boot(home, 'resume')
      await kill(third)

      const lines = readFileSync(join(home, 'journal'), 'utf8').trim().split('\n')
      const sent = lines.filter((line) => line.startsWith('sent '))
      expect(new Set(sent).size).toBe(sent.length)
      expect(sent).toEqual(Array.from({ length: sent.length }, (_, index) => `sent unit-${index}`))
      expect(lines.filter((line) => line === 'run ran')).toHaveLength(1)
      // Told once, by the second start, and by no later one.
      const told = lines.filter((line) => line === 'failed interrupted by a restart')
      expect(told).toHaveLength(1)
      expect(lines.indexOf(told[0]!)).toBeGreaterThan(lines.indexOf('up'))
      interrupted += told.length
    }
    expect(interrupted).toBe(ROUNDS)
  })
})
