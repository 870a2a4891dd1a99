import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { PassingClock } from '#support/clocks/passing-clock.ts'
import { MINUTE } from '#support/homes/intent-house.ts'

const clock = new PassingClock()
const verifies = verifiesIn(() => ({ clock }), { over: 'stream' })
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

interface Series {
  readonly device: string
  readonly kind: string
  readonly from: number
  readonly to: number
  readonly series: readonly { readonly at: number; readonly min: number; readonly mean: number; readonly max: number }[]
}

const ask = (
  home: TestHome,
  local: string,
  query: Record<string, string | number>,
  who: TestIntegration = home.main,
): Promise<RawAnswer> =>
  home.call({
    method: 'GET',
    path: home.at(local, '/readings', who),
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    token: who.token,
  })
const seriesOf = async (home: TestHome, local: string, query: Record<string, string | number>): Promise<Series> =>
  (await ask(home, local, query)).body as Series

describe('GET /v1/devices/{id}/readings', () => {
  verifies(
    'activity.readings',
    'has the least, mean and greatest value of each part of a range',
    { tags: ['long'] },
    async (home) => {
      const { readings } = home.running.gateway.stores.history
      const device = { http: 'lenas-shutter', stream: 'bedroom-shutter', mcp: 'living-shutter' }[home.transport]
      // Old readings are thinned to whole minutes at any moment.
      const from = Math.floor((clock.now() - 40 * DAY) / HOUR) * HOUR
      // Ten values in each of four hours; nothing in the last.
      for (let index = 0; index < 40; index += 1) readings.record(device, 'co2', from + index * 6 * MINUTE, 400 + index)
      const to = from + 5 * HOUR
      const answer = await seriesOf(home, device, { kind: 'co2', from, to, points: 5 })
      expect(answer).toEqual({
        house: 'Sonnenwinkel',
        device: home.id(device),
        kind: 'co2',
        from,
        to,
        series: [0, 1, 2, 3].map((hour) => ({
          at: from + hour * HOUR,
          min: 400 + hour * 10,
          mean: 404.5 + hour * 10,
          max: 409 + hour * 10,
        })),
      })
      // Thinned readings keep their extremes.
      while (readings.thin(clock.now()).moved > 0);
      expect((await seriesOf(home, device, { kind: 'co2', from, to, points: 1 })).series).toEqual([
        { at: from, min: 400, mean: expect.closeTo(419.5, 6), max: 439 },
      ])
    },
  )

  verifies(
    'activity.readings',
    'covers the last day in a hundred parts by default',
    { tags: ['long'] },
    async (home) => {
      const { readings } = home.running.gateway.stores.history
      for (let at = clock.now() - 2 * DAY; at < clock.now(); at += 5 * MINUTE)
        readings.record('lenas-light', 'door', at, 1)
      const { from, to, series } = await seriesOf(home, 'lenas-light', { kind: 'door' })
      expect(Math.abs(to - clock.now())).toBeLessThan(MINUTE)
      expect(to - from).toBe(DAY)
      expect(series.length).toBeGreaterThan(95)
      expect(series.length).toBeLessThanOrEqual(100)
      expect(new Set(series.map(({ mean }) => mean))).toEqual(new Set([1]))
      expect((await seriesOf(home, 'front-door', { kind: 'co2' })).series).toEqual([])
      const wrong: readonly Record<string, string | number>[] = [
        { kind: 'noise' },
        { kind: 'door', points: 0 },
        { kind: 'door', points: 1_001 },
        { kind: 'door', from: 2, to: 1 },
      ]
      for (const query of wrong)
        expect(await ask(home, 'lenas-light', query)).toMatchObject({
          status: 422,
          body: { error: { code: 'validation' } },
        })
    },
  )

  verifies('activity.readings', 'has means to 0.01, always between least and greatest value', async (home) => {
    const { readings } = home.running.gateway.stores.history
    const from = clock.now() - 2 * HOUR
    for (const [index, value] of [21.1, 21.05, 21.01].entries())
      readings.record('studio-light', 'temperature', from + index, value)
    readings.record('studio-light', 'temperature', from + HOUR, 21.053_124_999_999_998)
    const query = { kind: 'temperature', from, to: from + 2 * HOUR, points: 2 }
    expect((await seriesOf(home, 'studio-light', query)).series).toEqual([
      { at: from, min: 21.01, mean: 21.05, max: 21.1 },
      { at: from + HOUR, min: 21.053_124_999_999_998, mean: 21.053_124_999_999_998, max: 21.053_124_999_999_998 },
    ])
  })

  verifies(
    ['activity.readings', 'requests.times'],
    'begins in 1970 at the earliest, like every range',
    async (home) => {
      const paths = [home.at('hall-light', '/readings'), home.at('hall-light', '/explain'), '/v1/energy']
      for (const path of paths) {
        const query = { to: '5', ...(path.endsWith('readings') ? { kind: 'co2' } : {}) }
        expect((await home.call({ method: 'GET', path, query })).body).toMatchObject({ from: 0, to: 5 })
      }
      const explained = { method: 'POST', path: '/v1/explain', body: { device: home.id('hall-light'), to: 5 } }
      expect((await home.call(explained)).body).toMatchObject({ from: 0, to: 5 })
    },
  )

  verifies(
    ['activity.readings', '1.4.hidden'],
    'hides readings of a module from an integration that sees only a gang',
    async (home) => {
      const narrow = await home.integrate({ expose: ['gang:entrance-panel:2'] })
      home.running.gateway.stores.history.readings.record('entrance-panel', 'temperature', clock.now() - MINUTE, 21)
      expect((await seriesOf(home, 'entrance-panel:2', { kind: 'temperature' })).series.length).toBeGreaterThan(0)
      for (const local of ['entrance-panel:2', 'entrance-panel'])
        expect(await ask(home, local, { kind: 'temperature' }, narrow)).toMatchObject({
          status: 200,
          body: { series: [] },
        })
      const hidden = await ask(home, 'living-climate', { kind: 'temperature' }, narrow)
      expect(hidden.status).toBe(404)
      expect(hidden.text).toBe((await ask(home, 'never-was', { kind: 'temperature' }, narrow)).text)
    },
  )
})
