import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { recordingLog } from '#support/recording-log.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { ACCOUNTS_OF_HOME_MAX } from '../wire/relay-messages.ts'
import { LinkedAccounts, LINK_ENTRY_RATE } from './linked-accounts.ts'
import { RelaySettingsFile } from './settings-file.ts'

function stored() {
  const url = 'https://relay.example:8443'
  const path = join(tempFolder(), 'relay.json')
  writeFileSync(path, JSON.stringify({ url, ca: null, accounts: [], passthrough: 'off' }))
  const log = recordingLog()
  return { url, log, file: new RelaySettingsFile(path, log) }
}

test('a link that could not be recorded is recorded at the next welcome', async () => {
  const { url, file, log } = stored()
  const recorded: string[] = []
  let isFull = true
  const recordLinkChange = (account: string): void => {
    if (isFull) throw new Error('The disk accepts no writes.')
    recorded.push(account)
  }
  const accounts = new LinkedAccounts({
    file,
    recordLinkChange,
    recordManyLinkChanges: () => {},
    clock: new ManualClock(),
    log,
  })
  expect(await accounts.welcomed(url, ['anna'])).toBe(false)
  expect(file.current?.accounts).toEqual([])
  isFull = false
  expect(await accounts.welcomed(url, ['anna'])).toBe(true)
  expect(file.current?.accounts).toEqual(['anna'])
  expect(await accounts.welcomed(url, ['anna'])).toBe(false)
  expect(recorded).toEqual(['anna'])
})

proves('relay.accounts-churn', 'a relay that keeps naming other accounts does not fill the activity', async () => {
  const { url, file, log } = stored()
  const clock = new ManualClock()
  const recorded: (string | number)[] = []
  const notices = {
    recordLinkChange: (account: string) => recorded.push(account),
    recordManyLinkChanges: (linked: number) => recorded.push(linked),
  }
  const accounts = new LinkedAccounts({ file, ...notices, clock, log })
  const round = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += 1) await accounts.welcomed(url, [`account ${at}`])
  }
  await round(0, 500)
  const singleEntries = recorded.filter((entry) => typeof entry === 'string').length
  expect(singleEntries).toBeGreaterThanOrEqual(LINK_ENTRY_RATE.burst)
  expect(singleEntries).toBeLessThanOrEqual(LINK_ENTRY_RATE.burst + 2 * ACCOUNTS_OF_HOME_MAX)
  expect(recorded.slice(singleEntries)).toEqual([1])
  expect(file.current?.accounts).toEqual(['account 499'])
  clock.advance(3_600_000)
  const before = recorded.length
  await round(500, 502)
  expect(recorded.slice(before)).toEqual(['account 499', 'account 500', 'account 500', 'account 501'])
})

test('links that could not be recorded do not count against the limit', async () => {
  const { url, file, log } = stored()
  const recorded: string[] = []
  let isFull = true
  const recordLinkChange = (account: string): void => {
    if (isFull) throw new Error('The disk accepts no writes.')
    recorded.push(account)
  }
  const accounts = new LinkedAccounts({
    file,
    recordLinkChange,
    recordManyLinkChanges: () => {},
    clock: new ManualClock(),
    log,
  })
  for (let at = 0; at < 500; at += 1) await accounts.welcomed(url, ['anna'])
  isFull = false
  await accounts.welcomed(url, ['anna'])
  expect(recorded).toEqual(['anna'])
})
