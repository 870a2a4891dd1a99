import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { LinkedAccounts } from './linked-accounts.ts'
import { RelaySettingsFile } from './settings-file.ts'

test("an account that the home's record could not be told of is told by the next welcome", async () => {
  const url = 'https://relay.example:8443'
  const path = join(tempFolder(), 'relay.json')
  writeFileSync(path, JSON.stringify({ url, ca: null, accounts: [], passthrough: 'off' }))
  const log = recordingLog()
  const file = new RelaySettingsFile(path, log)
  const told: string[] = []
  let isFull = true
  const enrolled = (account: string): void => {
    if (isFull) throw new Error('The disk takes no writes.')
    told.push(account)
  }
  const accounts = new LinkedAccounts({ file, enrolled, log })
  expect(await accounts.welcomed(url, ['anna'])).toBe(false)
  expect(file.current?.accounts).toEqual([])
  isFull = false
  expect(await accounts.welcomed(url, ['anna'])).toBe(true)
  expect(file.current?.accounts).toEqual(['anna'])
  expect(await accounts.welcomed(url, ['anna'])).toBe(false)
  expect(told).toEqual(['anna'])
})
