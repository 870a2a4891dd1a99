import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { canMount, SmallDisk } from '#support/faults/small-disk.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { StorageUnavailable } from '../home/ports/activity-log.ts'
import { silentLog } from '../lib/log.ts'
import { RelaySettingsFile } from './settings-file.ts'

const damaged = JSON.stringify({ url: 'relay.example', ca: null, accounts: [] })
const RELAY = { url: 'https://relay.example', ca: null, accounts: [] }

describe('the file that names the relay', () => {
  proves('end-to-end.kept', 'keeps the mode after the relay is removed, also over a restart', async () => {
    const path = join(tempFolder(), 'relay.json')
    const file = new RelaySettingsFile(path, silentLog)
    expect([file.current, file.passthrough]).toEqual([null, 'off'])
    await file.replace(() => ({ ...RELAY, passthrough: 'only' }))
    await file.replace(() => null)
    const again = new RelaySettingsFile(path, silentLog)
    expect([again.current, again.passthrough]).toEqual([null, 'only'])
  })

  proves('storage.full-disk', 'stays unchanged if the change cannot be recorded', async () => {
    const path = join(tempFolder(), 'relay.json')
    const file = new RelaySettingsFile(path, silentLog)
    await file.replace(() => ({ ...RELAY, passthrough: 'off' }))
    const unrecorded = file.replace(
      () => null,
      () => {
        throw new StorageUnavailable(new Error('full'))
      },
    )
    await expect(unrecorded).rejects.toThrow(StorageUnavailable)
    expect([file.current, new RelaySettingsFile(path, silentLog).current?.url]).toEqual([
      { ...RELAY, passthrough: 'off' },
      RELAY.url,
    ])
    await file.replace(() => null)
    const again = new RelaySettingsFile(path, silentLog)
    expect([again.current, again.passthrough]).toEqual([null, 'off'])
  })

  proves('end-to-end.kept', 'counts as `only` if it is damaged, and the log says so', () => {
    const path = join(tempFolder(), 'relay.json')
    for (const text of ['{', '{"url":7,"passthrough":"off"}', damaged, '']) {
      writeFileSync(path, text)
      const log = recordingLog()
      const file = new RelaySettingsFile(path, log)
      expect([file.current, file.passthrough]).toEqual([null, 'only'])
      expect(log.sentences('error')).toEqual([expect.stringContaining('end-to-end connections')])
    }
  })
})

describe.skipIf(!canMount)('the file that names the relay, on a full disk (mounting one needs root)', () => {
  proves('storage.full-disk', 'stays unchanged in memory and on the disk, until there is room', async () => {
    const disk = new SmallDisk(2 ** 20)
    const path = join(disk.folder, 'relay.json')
    const log = recordingLog()
    const file = new RelaySettingsFile(path, log)
    await file.replace(() => ({ ...RELAY, passthrough: 'off' }))
    disk.fill()
    const recorded: string[] = []
    const only = file.replace(
      (current) => current && { ...current, passthrough: 'only' },
      () => recorded.push('only'),
    )
    const removal = file.replace(
      () => null,
      () => recorded.push('disconnected'),
    )
    const other = file.replace((current) => current && { ...current, accounts: ['olga@example.org'] })
    await expect(only).rejects.toThrow(StorageUnavailable)
    await expect(removal).rejects.toThrow(StorageUnavailable)
    await expect(other).rejects.toThrow(StorageUnavailable)
    // Settings that cannot be stored are not recorded either.
    expect(recorded).toEqual([])
    expect([file.current, file.passthrough]).toEqual([{ ...RELAY, passthrough: 'off' }, 'off'])
    expect(new RelaySettingsFile(path, silentLog).current).toEqual(file.current)
    expect(log.sentences('error')[0]).toBe('The relay settings could not be stored and stay unchanged.')
    disk.empty()
    await file.replace((current) => current && { ...current, passthrough: 'only' })
    expect(new RelaySettingsFile(path, silentLog).passthrough).toBe('only')
  })
})
