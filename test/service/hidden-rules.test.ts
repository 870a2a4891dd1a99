import { describe, expect } from 'vitest'
import { verifies } from '#support/gateway/harness.ts'

describe('a rule with a hidden device', () => {
  verifies('exposure.hidden-rules', 'is not read for an integration that asks for it', async (home) => {
    const step = { device: home.id('guest-light'), op: 'set_power', args: { on: true } }
    const body = { name: 'Hidden', when: [{ time: '03:00' }], then: [step] }
    const made = (await home.call({ method: 'POST', path: '/v1/automations', body })).body
    const local = String((made as { automation: { id: string } }).automation.id.split(':').at(-1))
    const narrow = await home.integrate({ expose: ['unit:hall-light'], settings: { automations: 'on' } })
    const ask = (id: string): Promise<unknown> =>
      home.call({
        method: 'GET',
        path: home.at(`automation:${id}`, '', narrow).replace('/devices/', '/automations/'),
        token: narrow.token,
      })
    const invented = await ask('000000000000')
    expect(invented).toMatchObject({ status: 404 })

    let looks = 0
    const rule = home.running.gateway.home.rules.automations.get(local) as object
    const { then } = rule as { then: unknown }
    Object.defineProperty(rule, 'then', { get: () => ((looks += 1), then) })
    for (let times = 0; times < 3; times += 1)
      expect(await ask(local)).toMatchObject({ status: 404, body: (invented as { body: object }).body })
    expect(looks).toBe(0)

    // It is visible as soon as all its devices are.
    await home.change(narrow, { expose: ['unit:hall-light', 'unit:guest-light'] })
    expect(await ask(local)).toMatchObject({ status: 200 })
    expect(looks).toBeGreaterThan(0)
  })
})
