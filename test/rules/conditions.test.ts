import { expect } from 'vitest'
import { type RulesHome, startedRules } from '#support/homes/rules-home.ts'
import { houseFile, importHouse } from '#support/gateway/house-file.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { power, RuleCalls, statusAndCode } from '#support/gateway/rule-calls.ts'
import { proves } from '#support/gateway/verifies.ts'

/** One condition of each form, also inside each other. */
const conditionsOf = (home: TestHome): readonly object[] => [
  { any: [{ device: home.id('hall-light'), state: 'on', is: true }, { all: [{ days: [1] }, { sun: 'down' }] }] },
  {
    not: {
      any: [
        { from: '12-20', until: '01-06' },
        { device: home.id('landing-sensor'), reachable: false },
      ],
    },
  },
  { from: '2000-01-01', until: '2099-12-31' },
]

verifies(
  'automations.nested',
  'conditions inside conditions are stored, changed and exported as they were sent',
  async (home) => {
    const conditions = conditionsOf(home)
    const then = [power(home, 'hall-light', true)]
    for (const [kind, times] of [
      ['automation', { when: [{ time: '03:00' }] }],
      ['schedule', { at: { time: '03:00' } }],
    ] as const) {
      const rules = new RuleCalls(home, kind)
      const made = await rules.create({ name: 'Nested', ...times, if: conditions, then })
      expect(made['if']).toEqual(conditions)
      expect((await rules.get(made.id))['if']).toEqual(conditions)
      const edited = await rules.edit(made.id, { if: conditions.slice(1), ifRevision: made.revision })
      expect(edited).toMatchObject({ if: conditions.slice(1), revision: 2 })
    }
    const before = await houseFile(home)
    await importHouse(home, before)
    expect(await houseFile(home)).toEqual(before)
  },
)

verifies(
  ['automations.pointer', 'automations.nested'],
  'a wrong or hidden part inside conditions is refused with its place',
  async (home) => {
    const automations = new RuleCalls(home, 'automation')
    const draft = { name: 'Never', when: [{ time: '03:00' }], then: [power(home, 'hall-light', true)] }
    const days = { days: [1] }
    for (const [condition, at] of [
      [{ any: [days, { device: home.id('hall-light'), reading: 'co2', above: 9 }] }, '/if/0/any/1/reading'],
      [{ not: { device: home.id('living-lamp'), state: 'bri', above: 100 } }, '/if/0/not/above'],
      [{ not: { not: { not: { not: days } } } }, '/if/0/not/not/not/not'],
      [{ all: [{ from: '12-20', until: '02-30' }] }, '/if/0/all/0/until'],
      [{ any: [] }, '/if/0/any'],
      [{ device: home.id('kitchen-panel:0'), reachable: true }, '/if/0/device'],
    ] as const)
      for (const path of [undefined, 'try']) {
        const answer = await automations.send('POST', path, { ...draft, if: [condition] })
        expect(statusAndCode(answer), answer.text).toEqual([422, 'validation'])
        expect((answer.body as { error: { at: string } }).error.at).toBe(at)
      }
  },
)

verifies(
  ['automations.pointer', 'automations.nested'],
  'a rule with a hidden device inside its conditions is hidden, and cannot be saved',
  async (home) => {
    const part = await home.integrate({
      expose: ['unit:hall-light'],
      settings: { automations: 'on' },
    })
    const inside = (device: string): object => ({ not: { any: [{ device, state: 'on', is: true }] } })
    const draft = { name: 'Inside', when: [{ time: '03:00' }] }
    const automations = new RuleCalls(home, 'automation')
    const made = await automations.create({
      ...draft,
      if: [inside(home.id('living-lamp'))],
      then: [power(home, 'hall-light', true)],
    })
    const theirs = automations.as(part)
    expect(statusAndCode(await theirs.send('GET', theirs.mine(made.id)))).toEqual([404, 'not_found'])
    const saved = await Promise.all(
      ['living-lamp', 'invented'].map((device) =>
        theirs.send('POST', undefined, {
          ...draft,
          if: [inside(home.id('unit:hall-light', part).replace(/[^:]+$/, device))],
          then: [power(home, 'hall-light', true, part)],
        }),
      ),
    )
    expect(saved.map(statusAndCode)).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ])
    expect(saved[0]?.body).toEqual(saved[1]?.body)
  },
)

verifies(
  ['automations.pointer', 'automations.schedule-if'],
  'a dry run of a rule tells the value of each condition inside',
  async (home) => {
    const conditions = conditionsOf(home)
    for (const [kind, times] of [
      ['automation', { when: [{ time: '03:00' }] }],
      ['schedule', { at: { time: '03:00' } }],
    ] as const) {
      const draft = { name: 'Tried', ...times, if: conditions, then: [power(home, 'hall-light', true)] }
      const answer = await new RuleCalls(home, kind).send('POST', 'try', draft)
      expect(answer.status, answer.text).toBe(200)
      const tried = answer.body as { if: { condition: object; leaves?: { at: string; value: unknown }[] }[] }
      expect(tried.if.map(({ condition }) => condition)).toEqual(conditions)
      expect(tried.if.map(({ leaves }) => leaves?.map(({ at }) => at))).toEqual([
        ['/if/0/any/0', '/if/0/any/1/all/0', '/if/0/any/1/all/1'],
        ['/if/1/not/any/0', '/if/1/not/any/1'],
        undefined,
      ])
      expect(tried.if[1]?.leaves?.[1]).toMatchObject({ value: true, holds: false })
    }
  },
)

const outcomesOf = (home: RulesHome): string[] => [...home.devices, ...home.entries('skipped')]

proves('automations.schedule-if', 'a schedule whose condition fails is skipped once, also over a restart', async () => {
  let home = startedRules((made) => {
    made.power('hall', false)
    made.schedule({ at: { time: '12:05' }, if: [{ not: { device: 'hall', state: 'on', is: false } }] })
  })
  await home.pass(10 * 60_000)
  expect(outcomesOf(home)).toEqual(['did not run: a condition was not met'])
  home = home.restarted(1_000)
  home.rules.start()
  await home.pass(60_000)
  expect(outcomesOf(home)).toEqual([])
  home.power('hall', true)
  await home.pass(24 * 3_600_000)
  expect(outcomesOf(home)).toEqual(['lamp'])
})
