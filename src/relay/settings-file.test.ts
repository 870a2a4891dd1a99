import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { silentLog } from '../lib/log.ts'
import { RelaySettingsFile } from './settings-file.ts'

const damaged = JSON.stringify({ url: 'relay.example', ca: null, accounts: [] })
const RELAY = { url: 'https://relay.example', ca: null, accounts: [] }

describe('the file that names the relay', () => {
  proves('end-to-end.kept', 'keeps the mode when it names none any more, also over a restart', async () => {
    const path = join(tempFolder(), 'relay.json')
    const file = new RelaySettingsFile(path, silentLog)
    expect([file.current, file.passthrough]).toEqual([null, 'off'])
    await file.replace({ ...RELAY, passthrough: 'only' })
    await file.replace(null)
    const again = new RelaySettingsFile(path, silentLog)
    expect([again.current, again.passthrough]).toEqual([null, 'only'])
  })

  proves('end-to-end.kept', 'counts as `only` where it is damaged, which the log tells', () => {
    const path = join(tempFolder(), 'relay.json')
    for (const text of ['{', '{"url":7,"passthrough":"off"}', damaged, '']) {
      writeFileSync(path, text)
      const log = recordingLog()
      const file = new RelaySettingsFile(path, log)
      expect([file.current, file.passthrough]).toEqual([null, 'only'])
      expect(log.sentences('error')).toEqual([expect.stringContaining('end to end alone')])
    }
  })
})
