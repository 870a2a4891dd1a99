import { expect } from 'vitest'
import { type TestHome, type TestIntegration, verifies } from '#support/gateway/harness.ts'
import { RuleCalls } from '#support/gateway/rule-calls.ts'

const off = (rule: string) => [{ rule, enabled: false }]
const draft = (then: readonly object[]) => ({ name: 'Rule', enabled: false, when: [{ time: '03:00' }], then })
const power = (home: TestHome, device: string, who?: TestIntegration) => ({
  device: home.id(device, who),
  op: 'set_power',
  args: { on: true },
})

verifies(
  ['automations.switch-step', '1.4.hidden'],
  'a rule that switches a hidden one is hidden, also through others and in circles',
  async (home) => {
    const own = new RuleCalls(home, 'automation')
    const part = await home.integrate({
      expose: ['unit:hall-light'],
      settings: { automations: 'on', schedules: 'off' },
    })
    const theirs = own.as(part)
    const base = await own.create(draft([power(home, 'guest-light')]))
    const middle = await own.create(draft(off(base.id)))
    const outer = await own.create(draft([...off(middle.id), power(home, 'hall-light')]))
    const ids = [base, middle, outer].map(({ id }) => theirs.mine(id))
    const seen = async (): Promise<string[]> => (await theirs.list()).map(({ id }) => id)
    expect(await seen()).toEqual([])
    const invented = await theirs.send('POST', undefined, draft(off(theirs.mine(base.id).replace(/.$/, '?'))))
    expect(invented).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    expect((await theirs.send('POST', undefined, draft(off(ids[0]!)))).body).toEqual(invented.body)
    await own.edit(base.id, { then: [power(home, 'hall-light'), ...off(outer.id)], ifRevision: 1 })
    expect(await seen()).toEqual(ids)
    expect(await theirs.get(ids[2]!)).toMatchObject({ then: [{ rule: ids[1], enabled: false }, {}] })
    const timer = await new RuleCalls(home, 'schedule').create({
      name: 'Timer',
      at: { time: '03:00' },
      then: [power(home, 'hall-light')],
    })
    // Schedules do not exist for an integration without the knob.
    await own.edit(base.id, { then: off(timer.id), ifRevision: 2 })
    expect(await seen()).toEqual([])
  },
)

verifies('automations.switch-opens', 'switching on a rule that opens needs the right to open', async (home) => {
  const own = new RuleCalls(home, 'automation')
  const careful = await home.integrate({ settings: { automations: 'on', allow_unlock: 'off' } })
  const theirs = own.as(careful)
  const opener = await own.create(draft([{ device: home.id('driveway-gate'), op: 'open' }]))
  const rule = theirs.mine(opener.id)
  const refused = { status: 403, body: { error: { code: 'unlock_not_allowed' } } }
  const on = draft([{ if: [{ sun: 'up' }], then: [{ rule, enabled: true }] }])
  expect(await theirs.send('POST', undefined, on)).toMatchObject(refused)
  const tried = await home.call({ method: 'POST', path: '/v1/automations/try', body: on, token: careful.token })
  expect(tried.body).toMatchObject({ refused: { code: 'unlock_not_allowed' } })
  const made = await theirs.create(draft(off(rule)))
  const change = { then: [{ rule, enabled: true }], ifRevision: 1 }
  expect(await theirs.send('PATCH', made.id, change)).toMatchObject(refused)
})

verifies('automations.switch-used', 'a rule in use is deleted only with force', { over: 'http' }, async (home) => {
  const own = new RuleCalls(home, 'automation')
  const used = await own.create(draft([{ delay: 1 }]))
  const user = await own.create({ ...draft(off(used.id)), name: 'User' })
  const [id, by] = [used, user].map((rule) => rule.id.split(':').at(-1))
  const { admin } = home.running
  await expect(admin.call('DELETE', `/automations/${id}`)).rejects.toThrow(
    `The automation is used by automation User (${by}): change or delete them first, or repeat this with force`,
  )
  expect(await admin.call('DELETE', `/automations/${id}?force=true`)).toEqual({ deleted: id })
  expect((await own.list()).map((rule) => rule.id)).toContain(user.id)
  const { automation } = await admin.call<{ automation: { then: string[] } }>('GET', `/automations/${by}`)
  expect(automation.then).toEqual([`turn off automation ${id} (removed)`])
})
