import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { ACCOUNTS_OF_HOME_MAX } from '../wire/control.ts'
import { LinkedAccounts, LINK_ENTRIES } from './linked-accounts.ts'
import { RelaySettingsFile } from './settings-file.ts'

function stored() {
  const url = 'https://relay.example:8443'
  const path = join(tempFolder(), 'relay.json')
  writeFileSync(path, JSON.stringify({ url, ca: null, accounts: [], passthrough: 'off' }))
  const log = recordingLog()
  return { url, log, file: new RelaySettingsFile(path, log) }
}

test("an account that the home's record could not be told of is told by the next welcome", async () => {
  const { url, file, log } = stored()
  const told: string[] = []
  let isFull = true
  const enrolled = (account: string): void => {
    if (isFull) throw new Error('The disk takes no writes.')
    told.push(account)
  }
  const accounts = new LinkedAccounts({ file, enrolled, unsettled: () => {}, clock: new ManualClock(), log })
  expect(await accounts.welcomed(url, ['anna'])).toBe(false)
  expect(file.current?.accounts).toEqual([])
  isFull = false
  expect(await accounts.welcomed(url, ['anna'])).toBe(true)
  expect(file.current?.accounts).toEqual(['anna'])
  expect(await accounts.welcomed(url, ['anna'])).toBe(false)
  expect(told).toEqual(['anna'])
})

proves('relay.accounts-churn', 'a relay that names others again and again fills no record', async () => {
  const { url, file, log } = stored()
  const clock = new ManualClock()
  const told: (string | number)[] = []
  const tells = { enrolled: (account: string) => told.push(account), unsettled: (linked: number) => told.push(linked) }
  const accounts = new LinkedAccounts({ file, ...tells, clock, log })
  const round = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += 1) await accounts.welcomed(url, [`account ${at}`])
  }
  await round(0, 500)
  const singly = told.filter((each) => typeof each === 'string').length
  expect(singly).toBeGreaterThanOrEqual(LINK_ENTRIES.burst)
  expect(singly).toBeLessThanOrEqual(LINK_ENTRIES.burst + 2 * ACCOUNTS_OF_HOME_MAX)
  expect(told.slice(singly)).toEqual([1])
  expect(file.current?.accounts).toEqual(['account 499'])
  clock.advance(3_600_000)
  const before = told.length
  await round(500, 502)
  expect(told.slice(before)).toEqual(['account 499', 'account 500', 'account 500', 'account 501'])
})

test('an account whose link could not be told took nothing of what may be told', async () => {
  const { url, file, log } = stored()
  const told: string[] = []
  let isFull = true
  const enrolled = (account: string): void => {
    if (isFull) throw new Error('The disk takes no writes.')
    told.push(account)
  }
  const accounts = new LinkedAccounts({ file, enrolled, unsettled: () => {}, clock: new ManualClock(), log })
  for (let at = 0; at < 500; at += 1) await accounts.welcomed(url, ['anna'])
  isFull = false
  await accounts.welcomed(url, ['anna'])
  expect(told).toEqual(['anna'])
})
