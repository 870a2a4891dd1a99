import { expect } from 'vitest'
import { GATEWAY_CAUSE } from '../../src/home/model/events.ts'
import { FIRST_EDIT } from '../../src/home/model/house.ts'
import type { AutomationDraft } from '../../src/home/model/rules.ts'
import { quotaExceededBy } from '../../src/home/rules/rule-repository.ts'
import { type TestHome, type TestIntegration, verifiesOver } from '#support/gateway/harness.ts'
import { power, statusAndCode, RuleCalls } from '#support/gateway/rule-calls.ts'

const verifies = verifiesOver('stream')

const SETTINGS = { automations: 'on', schedules: 'on' } as const
const STEPS = 100

/** Automations of the largest size, until this integration has no room for another. */
function fill({ running: { gateway } }: TestHome, who: TestIntegration): void {
  const then = Array.from(
    { length: STEPS },
    () => ({ device: 'study-light', op: 'set_power', args: { on: true } }) as const,
  )
  const draft: AutomationDraft = {
    name: 'Long',
    enabled: false,
    when: [{ time: '07:00' }],
    if: [],
    then,
    mode: 'single',
  }
  const origin = { integration: who.id, link: who.link }
  const { rules } = gateway.home
  const all = [...rules.automations.list()]
  const next = () => ({
    ...draft,
    id: `${who.link}-${all.length}`,
    revision: 1,
    origin,
    author: origin,
    paused: false,
    changedAt: 1,
  })
  while (quotaExceededBy(next(), null, all) === null) all.push(next())
  const part = rules.automations.replacement(all, GATEWAY_CAUSE)
  gateway.stores.core.change(part.store)
  part.apply()
}

verifies(
  ['automations.share', 'limits.share'],
  'an integration that used up its quota gets an error, and the others keep theirs',
  async (home) => {
    const who = await home.integrate({ settings: SETTINGS })
    const other = await home.integrate({ settings: SETTINGS })
    fill(home, who)
    const long = {
      name: 'Long',
      when: [{ time: '07:00' }],
      then: Array.from({ length: STEPS }, () => power(home, 'study-light', true, who)),
    }
    const rules = new RuleCalls(home, 'automation', who)
    const refused = await rules.send('POST', undefined, long)
    expect(statusAndCode(refused)).toEqual([422, 'validation'])
    expect((refused.body as { error: { message: string } }).error.message).toBe(
      'The automations that this integration saved have reached their limit of 1024 KiB: shorten some, or ask an administrator to delete one.',
    )
    const tried = await home.call({ method: 'POST', path: '/v1/automations/try', body: long, token: who.token })
    expect(tried.body).toMatchObject({ refused: (refused.body as { error: object }).error })
    const list = await rules.list()
    // Ids on the wire are longer than stored ones.
    const own = list.filter(({ origin }) => origin?.integration === who.id)
    expect(JSON.stringify(own).length).toBeLessThan(3 * 1024 * 1024)

    const then = Array.from({ length: STEPS }, () => power(home, 'study-light', true, other))
    const theirs = await new RuleCalls(home, 'automation', other).create({
      name: 'Theirs',
      when: long.when,
      then: then.slice(1),
    })
    // A rule counts for its last author, and a shorter one always fits.
    const mine = rules.mine(theirs.id)
    expect(statusAndCode(await rules.send('PATCH', mine, { ifRevision: 1, mode: 'restart' }))).toEqual([
      422,
      'validation',
    ])
    for (const { id, revision } of own.slice(0, 2)) {
      const short = await rules.edit(id, { ifRevision: revision, then: long.then.slice(0, 1) })
      expect(short).toMatchObject({ revision: revision + 1 })
    }
    expect(await rules.edit(mine, { ifRevision: 1, mode: 'restart' })).toMatchObject({ revision: 2 })
  },
)

verifies('limits.share', "an integration may have at most half of a home's scenes", async (home) => {
  const { house } = home.running.gateway.home
  const who = await home.integrate({})
  const origin = { integration: who.id, link: who.link }
  const made = {
    name: 'Many',
    icon: null,
    floor: null,
    room: null,
    steps: [],
    revision: 1,
    edits: [FIRST_EDIT],
    position: 0,
  }
  const before = house.content()
  const scenes = Array.from({ length: 250 }, (_, id) => ({
    ...made,
    id: `${home.transport}-${id}`,
    origin,
    author: origin,
  }))
  house.replace({ ...before, scenes: [...before.scenes, ...scenes] }, GATEWAY_CAUSE)
  const refused = await new RuleCalls(home, 'scene', who).send('POST', undefined, { name: 'One more' })
  expect(statusAndCode(refused)).toEqual([422, 'validation'])
  expect((refused.body as { error: { message: string } }).error.message).toBe(
    'This integration has reached its limit of 250 scenes: ask an administrator to delete one.',
  )
  expect((await new RuleCalls(home, 'scene').send('POST', undefined, { name: 'Another’s' })).status).toBe(201)
  house.replace(before, GATEWAY_CAUSE)
})
