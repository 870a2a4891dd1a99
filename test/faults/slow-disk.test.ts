import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect } from 'vitest'
import { syncFile } from '../../src/lib/files.ts'
import { EVERYTHING_ALLOWED, type TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { tempFolder } from '#support/temp-folder.ts'

/** A disk that takes its time: nothing is on it before `allow`. */
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

  allow(): void {
    this.#isSlow = false
    for (const go of this.#waiting.splice(0)) go()
  }
}

/** Turns of the event loop that a sync takes: many more than an answer. */
const TURNS = 100

let slowDisk = new SlowDisk()

const rename = (home: TestHome, name: string): ReturnType<TestHome['call']> =>
  home.call({ method: 'PATCH', path: home.at('hall-light'), body: { name } })

describe('a disk that is slow', () => {
  const verifies = verifiesAlone(() => {
    slowDisk = new SlowDisk()
    return { settled: false, syncFile: slowDisk.syncFile }
  })

  verifies('storage.slow-disk', 'holds up the answer to a change, and nobody else', async (home) => {
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
    expect(entries[0]?.what).toContain('Slow light')
  })
})

describe('a power cut', () => {
  let folder = ''
  let disk: Disk | null = null
  const verifies = verifiesAlone(() => {
    folder = tempFolder()
    disk = new Disk(folder)
    return { settled: false, syncFile: disk.syncFile }
  })

  verifies('storage.slow-disk', 'takes no change away that was answered', async (home) => {
    for (let turn = 0; turn < 5; turn += 1) {
      const name = `Light ${turn}`
      expect((await rename(home, name)).status).toBe(200)
      expect(disk?.left().prepare("SELECT name FROM units WHERE id = 'hall-light'").pluck().get()).toBe(name)
    }
  })
})

/** What a power cut would leave: what the files held when the last sync that has ended began. */
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
