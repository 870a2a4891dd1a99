import { expect } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/durations.ts'
import { type TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { power } from '#support/gateway/rule-calls.ts'

/** Like the far north in June, all year: the sun sets at one in the morning of these clocks, six in the evening UTC. */
const PLACE = { timeZone: 'Asia/Bangkok', latitude: 0, longitude: 0 }
const YESTERDAY = Math.floor(Date.now() / DAY_MS - 1) * DAY_MS

for (const [hour, isDay] of [
  [17.5, true],
  [19, false],
] as const)
  verifiesAlone(() => ({ begins: YESTERDAY + hour * HOUR_MS }), { over: 'http' })(
    'automations.daylight',
    `after midnight it is ${isDay ? 'day before' : 'night after'} the sunset`,
    async (home) => {
      await home.running.admin.call('PATCH', '/home', PLACE)
      expect(await holdNow(home)).toEqual([isDay, !isDay])
    },
  )

/** Whether the conditions of day and of night hold now. */
async function holdNow(home: TestHome): Promise<readonly boolean[]> {
  const body = {
    name: 'Hall',
    when: [{ time: '07:00' }],
    if: [
      { after: 'sunrise', before: 'sunset' },
      { after: 'sunset', before: 'sunrise' },
    ],
    then: [power(home, 'hall-light', true)],
  }
  const answer = await home.call({ method: 'POST', path: '/v1/automations/try', body })
  return (answer.body as { if: readonly { holds: boolean }[] }).if.map(({ holds }) => holds)
}
