import { expect } from 'vitest'
import type { PassingClock } from '#support/clocks/passing-clock.ts'
import type { RawAnswer } from './callers.ts'
import type { TestHome, TestIntegration } from './harness.ts'

/** An entry of the activity log. */
export interface EntryAnswer {
  readonly id: string
  readonly at: number
  readonly device: string | null
  readonly kind: string
  readonly what: string
  readonly cause: {
    readonly source: string
    readonly name: string
    readonly ref?: string
    readonly link?: string
    readonly by?: EntryAnswer['cause']
  }
}
export interface ActivityAnswer {
  readonly house: string
  readonly entries: readonly EntryAnswer[]
  readonly nextTo: number | null
}

/** GET /v1/activity; returns any response. */
export const getActivity = (
  home: TestHome,
  query: Record<string, string | number> = {},
  who: TestIntegration = home.main,
): Promise<RawAnswer> =>
  home.call({
    method: 'GET',
    path: '/v1/activity',
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    token: who.token,
  })

/** A page of the activity; the request must succeed. */
export async function activityPage(
  home: TestHome,
  query: Record<string, string | number> = {},
  who: TestIntegration = home.main,
): Promise<ActivityAnswer> {
  const answer = await getActivity(home, query, who)
  expect(answer.status, answer.text).toBe(200)
  return answer.body as ActivityAnswer
}

/** Switches a device on or off. */
export const switchDevice = (
  clock: PassingClock,
  home: TestHome,
  local: string,
  on: boolean,
  who: TestIntegration = home.main,
): Promise<RawAnswer> =>
  clock.hasten(
    home.call({
      method: 'POST',
      path: home.at(local, '/control', who),
      token: who.token,
      body: { op: 'set_power', args: { on } },
    }),
  )

/** Writes past entries as the gateway would; `at` in epoch ms. */
export function recordEntries(
  home: TestHome,
  device: string,
  ats: readonly number[],
  what: (index: number) => string,
): void {
  const { activity } = home.running.gateway.stores.history
  for (const [index, at] of ats.entries()) {
    activity.record({
      at,
      kind: 'state',
      subject: { kind: 'device', id: device },
      what: what(index),
      cause: { source: 'person', name: 'Anna' },
    })
  }
}
