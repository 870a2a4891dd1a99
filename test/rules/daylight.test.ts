import { expect } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/durations.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { type TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { power } from '#support/gateway/rule-calls.ts'

/** Like the far north in June, all year: the sun sets at one in the morning of these clocks, six in the evening UTC. */
const PLACE = { timeZone: 'Asia/Bangkok', latitude: 0, longitude: 0 }
const YESTERDAY = Math.floor(Date.now() / DAY_MS - 1) * DAY_MS

const verifies = verifiesAlone(() => ({ begins: YESTERDAY + 17.5 * HOUR_MS }), { over: 'http' })

verifies('automations.daylight', 'after midnight it is day until the sun sets, and then night', async (home) => {
  await home.running.admin.call('PATCH', '/home', PLACE)
  expect(await holdNow(home)).toEqual([true, false])
  const { clock } = home.running
  if (clock instanceof PassingClock) clock.sleep(1.5 * HOUR_MS)
  expect(await holdNow(home)).toEqual([false, true])
})

/** True for the conditions of day and of night that hold now. */
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
