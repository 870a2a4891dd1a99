import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect } from 'vitest'
import { syncFile } from '../../src/lib/files.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { EVERYTHING_ALLOWED, type TestHome, type TestIntegration, verifiesAlone } from '#support/gateway/harness.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { awaitAdapter, commandsOf } from '#support/gateway/await-home.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** A slow disk: syncs wait for `allow`. */
class SlowDisk {
  readonly #waiting: (() => void)[] = []
  #isSlow = false

  readonly syncFile = async (file: string): Promise<void> => {
    if (this.#isSlow) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    await syncFile(file)
  }

  slow(): void {
    this.#isSlow = true
  }

  /** Ends the waiting syncs; later ones are slow again. */
  pass(): void {
    for (const go of this.#waiting.splice(0)) go()
  }

  allow(): void {
    this.#isSlow = false
    this.pass()
  }

  get isAsked(): boolean {
    return this.#waiting.length > 0
  }
}

/** Event loop turns that a sync takes: many more than a response. */
const TURNS = 100
/** Each takes longer than the radio needs for a command. */
const READS = 20

const HALL_LIGHT = 11
/** Syncs delay writes below the transports, so one transport is enough. */
const OVER = { over: 'http' } as const

let slowDisk = new SlowDisk()

const rename = (home: TestHome, name: string): ReturnType<TestHome['call']> =>
  home.call({ method: 'PATCH', path: home.at('hall-light'), body: { name } })

const switchOn = async (home: TestHome, key: string, who: TestIntegration = home.main): Promise<RawAnswer> => {
  await awaitAdapter(home, 'up')
  const body = { op: 'set_power', args: { on: true } }
  return home.call({ method: 'POST', path: home.at('hall-light', '/control', who), body, token: who.token, key })
}

/** Runs a scene that is stored because it has a delay; returns once a run has begun. */
async function run(home: TestHome, delay = 0.1): Promise<void> {
  const steps = [power(home, 'hall-light', true), { delay }, power(home, 'hall-light', false)]
  const { id } = await new RuleCalls(home, 'scene').create({ name: 'Blink', steps })
  await awaitAdapter(home, 'up')
  slowDisk.slow()
  expect((await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(id)}/run` })).status).toBe(200)
}

/** Another client reads until the disk is used, and then often enough to outlast it. */
async function othersAreServed(home: TestHome): Promise<void> {
  const other = await home.integrate({})
  const read = (): Promise<object> => home.get(home.at('hall-light', '', other), other.token)
  while (!slowDisk.isAsked) await read()
  for (let turn = 0; turn < READS; turn += 1) await read()
}

describe('a disk that is slow', () => {
  const verifies = verifiesAlone(() => {
    slowDisk = new SlowDisk()
    return { settled: false, syncFile: slowDisk.syncFile }
  }, OVER)

  verifies(
    'storage.slow-disk',
    'delays the response to a change, and no other request',
    { tags: ['long'] },
    async (home) => {
      const other = await home.integrate({ settings: EVERYTHING_ALLOWED })
      slowDisk.slow()
      let answered = false
      const changed = rename(home, 'Slow light').finally(() => (answered = true))
      const seen = async (): Promise<string> =>
        ((await home.get(home.at('hall-light', '', other), other.token))['device'] as { name: string }).name
      while ((await seen()) !== 'Slow light') continue
      expect(answered).toBe(false)
      slowDisk.allow()
      expect((await changed).status).toBe(200)
      const { entries } = (await home.get('/v1/activity', home.main.token)) as { entries: { what: string }[] }
      expect(entries.map(({ what }) => what)).toContainEqual(expect.stringContaining('Slow light'))
    },
  )

  verifies(
    'storage.slow-disk-keys',
    'delays a write with a key before it runs, and its response',
    { tags: ['long'] },
    async (home) => {
      slowDisk.slow()
      let answered = false
      const made = switchOn(home, 'slow').finally(() => (answered = true))
      await othersAreServed(home)
      expect(commandsOf(home, HALL_LIGHT)).toBe(0)
      slowDisk.pass()
      await othersAreServed(home)
      expect([commandsOf(home, HALL_LIGHT), answered]).toEqual([1, false])
      slowDisk.allow()
      expect((await made).status).toBe(200)
    },
  )

  verifies('storage.slow-disk-keys', 'gives a revoked key no time to write', { tags: ['long'] }, async (home) => {
    const other = await home.integrate({ settings: EVERYTHING_ALLOWED })
    slowDisk.slow()
    const made = switchOn(home, 'revoked', other)
    await othersAreServed(home)
    await home.running.admin.call('DELETE', `/keys/${other.link}`)
    slowDisk.allow()
    expect([(await made).status, commandsOf(home, HALL_LIGHT)]).toEqual([401, 0])
  })

  verifies('storage.slow-disk-runs', 'delays the stored steps of a run, and no other request', async (home) => {
    await run(home)
    await othersAreServed(home)
    expect(commandsOf(home, HALL_LIGHT)).toBe(0)
    slowDisk.allow()
    // At the pace of the machine: a busy one in haste would repeat a command before it reads the answer.
    await expect.poll(() => commandsOf(home, HALL_LIGHT)).toBe(2)
  })
})

describe('a power cut', () => {
  let folder = ''
  let disk: Disk | null = null
  const verifies = verifiesAlone(() => {
    folder = tempFolder()
    disk = new Disk(folder)
    return { settled: false, syncFile: disk.syncFile }
  }, OVER)

  verifies('storage.slow-disk', 'loses no change with a response', async (home) => {
    for (let turn = 0; turn < 5; turn += 1) {
      const name = `Light ${turn}`
      expect((await rename(home, name)).status).toBe(200)
      expect(disk?.left().prepare("SELECT name FROM units WHERE id = 'hall-light'").pluck().get()).toBe(name)
    }
  })

  verifies('storage.slow-disk-keys', 'keeps the response to a write with a key', async (home) => {
    const answered = "SELECT count(*) FROM idempotency_keys WHERE key = 'cut' AND status = 200"
    expect((await switchOn(home, 'cut')).status).toBe(200)
    expect(disk?.left().prepare(answered).pluck().get()).toBe(1)
  })

  verifies('storage.slow-disk-runs', 'keeps the run whose first step was done', { tags: ['long'] }, async (home) => {
    await run(home, 100)
    while (commandsOf(home, HALL_LIGHT) === 0) await home.get('/v1/runs')
    expect(disk?.left().prepare('SELECT count(*) FROM rule_runs').pluck().get()).toBe(1)
  })
})

/** The state after a power cut: the files at the start of the last finished sync. */
class Disk {
  readonly #folder: string
  #syncs = 0
  #ended = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  readonly syncFile = async (wal: string): Promise<void> => {
    this.#syncs += 1
    const at = this.#syncs
    for (const end of ['', '-wal']) copyFileSync(wal.replace(/-wal$/, end), `${this.#image(at)}${end}`)
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    this.#ended = at
  }

  left(): Database.Database {
    return new Database(this.#image(this.#ended))
  }

  #image(sync: number): string {
    return join(this.#folder, `${sync}.db`)
  }
}
