import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished } from 'vitest'
import { FailingFiles } from '#support/faults/failing-files.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'

const MINUTE = 60_000

async function opened() {
  const clock = new PassingClock()
  const running = await TestGateway.open({ clock, dataDir: tempFolder() })
  onTestFinished(() => running[Symbol.asyncDispose]())
  return { clock, running, home: await TestHome.at('http', running) }
}

describe('a disk that does not report file lengths', () => {
  proves('storage.any-error', 'prevents neither reads nor changes of the home, and ends no timer', async () => {
    const { clock, running, home } = await opened()
    const rename = (name: string) => home.call({ method: 'PATCH', path: home.at('hall-light'), body: { name } })
    {
      using failing = new FailingFiles(running.dataDir, ['statSync'])
      expect((await rename('Renamed')).status).toBe(200)
      expect(await running.admin.call('GET', '/status')).toMatchObject({ configuration: { bytes: 0 } })
      await clock.pass(3 * MINUTE)
      expect(failing.failed).toBeGreaterThan(2)
    }
    await clock.pass(3 * MINUTE)
    expect((await rename('Renamed again')).status).toBe(200)
  })
})

/** Empties a file, like a disk that cannot read its pages, until the returned function is called. */
function takenAway(file: string): () => void {
  const content = readFileSync(file)
  truncateSync(file)
  return () => writeFileSync(file, content)
}

describe('a configuration that cannot be read', () => {
  proves('storage.any-error', 'is 503 and never a stale knob, and is read again once it can be', async () => {
    const { running, home } = await opened()
    const house = () => home.call({ method: 'GET', path: '/v1/house' })
    expect((await house()).status).toBe(200)
    const core = join(running.dataDir, 'core.db')
    // An administrator's change by another process, which the gateway has not read yet.
    const other = new Database(core)
    other.prepare('UPDATE integrations SET enabled = 0 WHERE id = ?').run(home.main.id)
    other.pragma('wal_checkpoint(TRUNCATE)')
    const giveBack = takenAway(core)
    const answers = await Promise.all([house(), house(), house()])
    for (const answer of answers)
      expect(answer).toMatchObject({
        status: 503,
        body: { error: { code: 'storage_unavailable', message: expect.stringContaining('disk'), retryAfter: 30 } },
      })
    expect(await home.call({ method: 'GET', path: '/v1/about' })).toMatchObject({ status: 200 })
    giveBack()
    // SQLite caches the empty pages that it got until the next commit; it caches none of a failed read.
    other.prepare("UPDATE integrations SET name = 'Off' WHERE id = ?").run(home.main.id)
    other.close()
    expect(await house()).toMatchObject({ status: 403, body: { error: { code: 'record_disabled' } } })
  })
})

/** Loaded before a gateway: the first read of a file of this name fails. */
const unreadable = (name: string): string =>
  `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const read = fs.readFileSync
  fs.readFileSync = (path, ...more) => {
    if (!String(path).endsWith('${name}')) return read(path, ...more)
    throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
  }
  syncBuiltinESMExports()
`)}`

describe('a start on a disk that fails', () => {
  proves(
    'storage.failed-start',
    'ends with one sentence, does not count as a failed start, and the next one works',
    async () => {
      const dataDir = tempFolder()
      let serial: string
      {
        await using first = await TestGateway.open({ dataDir, settled: false })
        serial = first.gateway.serial
      }
      const env = { NODE_OPTIONS: `--import=${unreadable('home-id')}` }
      const { code, stderr } = await GatewayProcess.fails({ dataDir, env })
      expect([code, stderr]).toEqual([
        1,
        'The gateway cannot read or write its data folder: the disk fails. Repair the disk, then start the gateway again.\n',
      ])
      expect(existsSync(join(dataDir, 'failed-starts.json'))).toBe(false)
      await using again = await TestGateway.open({ dataDir, settled: false })
      expect(again.gateway.serial).toBe(serial)
    },
  )
})
