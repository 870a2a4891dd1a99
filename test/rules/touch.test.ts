import { expect } from 'vitest'
import { verifies } from '#support/gateway/harness.ts'
import { RuleCalls } from '#support/gateway/rule-calls.ts'

verifies(
  'automations.touch',
  'a touch that changes no state starts an automation; press selects long ones; a lock has no keys',
  async (home) => {
    const automations = new RuleCalls(home, 'automation')
    const rule = (trigger: object) => ({ name: 'Touched', when: [trigger], then: [{ delay: 60 }] })
    const on = home.id('hall-light')
    const made = await automations.create(rule({ device: on, touch: 'down', press: 'long' }))
    expect(made).toMatchObject({ when: [{ device: on, touch: 'down', press: 'long' }] })
    const refused = await automations.send('POST', undefined, rule({ device: home.id('front-door'), touch: 'up' }))
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'validation' } } })
    expect(refused.text).toContain('when[0].touch: up is not available: Front door (lock) has no keys')
    const runs = async (): Promise<number> =>
      ((await home.get('/v1/runs')) as { runs: { of: string }[] }).runs.filter(({ of }) => of === made.id).length
    const touched = async (heldMs: number): Promise<void> => {
      const { gateway, sim } = home.running
      const reported = Promise.withResolvers<void>()
      const stop = gateway.home.events.on(({ kind }) => kind === 'touch' && reported.resolve())
      sim.touch(11, null, 'down', { heldMs })
      await home.running.hasten(reported.promise)
      stop()
    }
    await touched(300)
    expect(await runs()).toBe(0)
    await touched(2_500)
    expect(await runs()).toBe(1)
  },
)
