import { describe, expect } from 'vitest'
import { FailingDisk } from '#support/faults/failing-disk.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { type RecordingLog, recordingLog } from '#support/recording-log.ts'

let disk: FailingDisk
let log: RecordingLog

const create = (home: TestHome, key?: string): Promise<RawAnswer> =>
  home.call({ method: 'POST', path: '/v1/scenes', body: { name: 'Plain' }, ...(key === undefined ? {} : { key }) })

async function plain(home: TestHome): Promise<number> {
  const { scenes } = (await home.get('/v1/scenes')) as { scenes: { name: string }[] }
  return scenes.filter(({ name }) => name === 'Plain').length
}

const refused = (code: string): object => ({ body: { error: { code } } })

describe('a disk that fails to sync', () => {
  const options = () => {
    disk = new FailingDisk()
    log = recordingLog()
    return { settled: false, syncFile: disk.syncFile, log }
  }
  const verifies = verifiesAlone(options, { over: 'http' })

  verifiesAlone(options)(
    'storage.failing-disk',
    'makes none of the changes refused with 503, and reports those that it made',
    async (home) => {
      disk.fail(home.running.dataDir)
      const first = await create(home)
      expect(first).toMatchObject({ status: 409, ...refused('outcome_unknown') })
      expect(first.body).not.toHaveProperty('error.retryAfter')
      expect(await plain(home)).toBe(1)
      for (let turn = 0; turn < 3; turn += 1)
        expect(await create(home)).toMatchObject({
          status: 503,
          body: { error: { code: 'storage_unavailable', retryAfter: 30 } },
        })
      expect(await plain(home)).toBe(1)
      disk.heal()
      expect((await create(home)).status).toBe(201)
      expect(await plain(home)).toBe(2)
    },
  )

  verifies(
    'storage.failing-disk',
    'records its changes once it syncs, without a further change',
    { tags: ['long'] },
    async (home) => {
      disk.fail(home.running.dataDir)
      await create(home)
      disk.heal()
      const recovered = log.logged('The configuration can be changed again.')
      await home.running.hasten(recovered)
      const made = async (): Promise<number> => {
        const { entries } = (await home.get('/v1/activity')) as { entries: { what: string }[] }
        return entries.filter(({ what }) => what.includes('Plain')).length
      }
      while ((await made()) === 0) continue
      expect(await made()).toBe(1)
    },
  )

  verifies('storage.failing-disk', 'leaves the key of a failed write free', async (home) => {
    disk.fail(home.running.dataDir)
    for (let turn = 0; turn < 3; turn += 1)
      expect(await create(home, 'again')).toMatchObject({ status: 503, ...refused('storage_unavailable') })
    expect(await plain(home)).toBe(0)
    disk.heal()
    const made = await create(home, 'again')
    expect(made.status).toBe(201)
    expect((await create(home, 'again')).body).toEqual(made.body)
    expect(await plain(home)).toBe(1)
  })

  verifies(
    'storage.failing-disk',
    'is reported once while it fails, and each minute if it fails intermittently',
    { tags: ['long'] },
    async (home) => {
      const messages = (): (readonly string[])[] => [
        log.sentences('error').filter((line) => line.startsWith('The disk accepts no writes')),
        log.sentences('warn').filter((line) => line.startsWith('The configuration can be changed again')),
      ]
      disk.fail(home.running.dataDir)
      for (let turn = 0; turn < 10; turn += 1) await create(home)
      expect(messages().map((line) => line.length)).toEqual([1, 0])
      await home.running.still(async () => {
        for (let turn = 0; turn < 10; turn += 1) {
          disk.heal()
          expect((await create(home)).status).toBe(201)
          disk.fail(home.running.dataDir)
          await create(home)
        }
      })
      expect(messages().map((line) => line.length)).toEqual([1, 1])
    },
  )
})
