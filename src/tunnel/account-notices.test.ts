import { expect } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { AccountNotices, type Notice, NOTICE_RATE } from './account-notices.ts'

const NOTICE: Notice = {
  kind: 'signed_in',
  account: 'anna@example.org',
  browser: 'Firefox',
  place: '203.0.113.*',
  at: 0,
}

proves(
  'relay.notices',
  'of a hostile relay are limited for each account, plain text, and only of linked accounts',
  () => {
    const clock = new ManualClock(1_000_000)
    const recorded: [Notice, number][] = []
    const sums: string[] = []
    const notices = new AccountNotices({
      accounts: () => ['anna@example.org', 'tom@example.org'],
      record: (notice, lateMs) => recorded.push([notice, lateMs]),
      recordOmitted: (account) => sums.push(account),
      clock,
    })
    notices.handle([{ ...NOTICE, account: 'mallory@example.org' }])
    expect(recorded).toEqual([])
    notices.handle([{ ...NOTICE, browser: 'Fire\u202efox\u200b\n', place: 'x'.repeat(64), at: clock.now() + 5_000 }])
    expect(recorded).toEqual([[{ ...NOTICE, browser: 'Fire fox', place: 'x'.repeat(64), at: clock.now() + 5_000 }, 0]])
    for (let index = 0; index < 500; index += 1) notices.handle([NOTICE])
    expect([recorded.length, sums]).toEqual([NOTICE_RATE.burst, ['anna@example.org']])
    notices.handle([{ ...NOTICE, account: 'tom@example.org' }])
    expect(recorded).toHaveLength(NOTICE_RATE.burst + 1)
    expect(recorded.at(-1)?.[1]).toBe(clock.now())
  },
)
