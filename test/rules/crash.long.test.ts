// @module-tag long
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

/** Starts a gateway's rules; resolves with the line of the journal that was waited for. */
async function boot(
  home: string,
  begin: 'begin' | 'resume',
  until = /^up$/m,
): Promise<readonly [ChildProcess, string]> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CHILD, home, begin], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { promise: line, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  child.stdout.on('data', (piece) => {
    text += String(piece)
    const [found] = until.exec(text) ?? []
    if (found !== undefined) resolve(found)
  })
  child.once('exit', () => reject(new Error('The child ended by itself.')))
  return [child, await line]
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

describe('kill -9 in the middle of a run', () => {
  it('makes no step twice, goes on after a delay, and says where a step was lost', async () => {
    let wentOn = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const home = mkdtempSync(join(folder, 'home-'))
      const [first] = await boot(home, 'begin')
      // At another moment of the run each round: the kill is not to wait for anything.
      await sleep(20 + ((round * 67) % 400))
      await kill(first)
      const [second, line] = await boot(
        home,
        'resume',
        /^sent unit-\d+$|^failed interrupted by a restart\n(?:.*\n)*up$/m,
      )
      await kill(second)
      const [third] = await boot(home, 'resume')
      await kill(third)

      const lines = readFileSync(join(home, 'journal'), 'utf8').trim().split('\n')
      const sent = lines.filter((each) => each.startsWith('sent '))
      expect(new Set(sent).size).toBe(sent.length)
      expect(sent).toEqual(Array.from({ length: sent.length }, (_, index) => `sent unit-${index}`))
      expect(lines.filter((each) => each === 'run ran')).toHaveLength(1)
      // Told once, by the start that found the step lost.
      const told = lines.filter((each) => each === 'failed interrupted by a restart')
      expect(told.length).toBeLessThanOrEqual(1)
      if (line.startsWith('sent')) wentOn += 1
      else expect(told).toHaveLength(1)
    }
    expect(wentOn).toBeGreaterThan(ROUNDS / 2)
  })
})
