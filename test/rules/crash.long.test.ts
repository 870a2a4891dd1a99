// @module-tag long
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { CoreDb } from '../../src/db/core/core-db.ts'

const CHILD = new URL('./crash-child.ts', import.meta.url).pathname
const ROUNDS = 12
const TREE_CHILD = new URL('./crash-tree-child.ts', import.meta.url).pathname
const HOMES = 25
/** Runs killed inside a branch, a wait or a repeat. A slow machine needs more rounds for them. */
const KILLED_RUNS = 200

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crash-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Starts a gateway's rules; resolves with the expected line of the journal. */
function boot(home: string, begin: 'begin' | 'resume', until = /^up$/m): Promise<readonly [ChildProcess, string]> {
  return started([CHILD, home, begin], until)
}

/** Starts a child; resolves with the expected line of its output. */
async function started(words: readonly string[], until = /^up$/m): Promise<readonly [ChildProcess, string]> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...words], {
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
  it('repeats no step, continues after a delay, and reports a lost step', async () => {
    let wentOn = 0
    // A slow machine is often killed before the delay, so it needs more rounds.
    for (let round = 0; round < ROUNDS || wentOn <= ROUNDS / 2; round += 1) {
      const home = mkdtempSync(join(folder, 'home-'))
      const [first] = await boot(home, 'begin')
      // Each round kills at another moment of the run.
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
      const sent = lines.filter((line) => line.startsWith('sent '))
      expect(new Set(sent).size).toBe(sent.length)
      expect(sent).toEqual(Array.from({ length: sent.length }, (_, index) => `sent unit-${index}`))
      expect(lines.filter((line) => line === 'run ran')).toHaveLength(1)
      // Reported once, by the start that found the lost step.
      const interruptions = lines.filter((line) => line === 'failed interrupted by a restart')
      expect(interruptions.length).toBeLessThanOrEqual(1)
      if (line.startsWith('sent')) wentOn += 1
      else expect(interruptions).toHaveLength(1)
    }
  })
})

/** Places of the runs that the killed process left: keys of the steps around them. */
function placesIn(folderOfHomes: string): readonly string[] {
  return Array.from({ length: HOMES }, (_, home) => {
    const core = new CoreDb(join(folderOfHomes, `core-${home}.db`))
    const rows = core.db.prepare('SELECT place FROM rule_runs').all() as { place: string | null }[]
    core.close()
    return rows.map(({ place }) => (JSON.parse(place ?? '{"path":[]}') as { path: unknown[] }).path.join('/'))
  }).flat()
}

describe('kill -9 inside a branch, a wait or a repeat, 200 times', () => {
  proves('automations.trees-restart', 'performs no step twice, and goes on in the same round', async () => {
    const kills = new Map<string, number>()
    for (let round = 0, killed = 0; killed < KILLED_RUNS; round += 1) {
      const homes = mkdtempSync(join(folder, 'homes-'))
      for (const begin of ['begin', 'resume', 'resume', 'resume']) {
        const [child] = await started([TREE_CHILD, homes, begin, String(HOMES)])
        await sleep(40 + ((round * 190) % 400))
        await kill(child)
        const places = placesIn(homes)
        killed += places.length
        for (const place of places) kills.set(place, (kills.get(place) ?? 0) + 1)
      }
      for (let home = 0; home < HOMES; home += 1) {
        const lines = readFileSync(join(homes, `journal-${home}`), 'utf8')
          .trim()
          .split('\n')
        const sent = lines.filter((line) => line.startsWith('sent '))
        expect(sent).toEqual(Array.from({ length: sent.length }, (_, index) => `sent unit-${index % 4}`))
        expect(lines.filter((line) => line === 'run ran')).toHaveLength(1)
      }
    }
    // In the branch, in the wait, and between two rounds.
    for (const place of ['0/repeat/1/else/1', '0/repeat/2', '0']) expect(kills.get(place), place).toBeGreaterThan(0)
  })
})
