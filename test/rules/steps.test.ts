import { expect } from 'vitest'
import { houseFile, importHouse } from '#support/gateway/house-file.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { power, RuleCalls, statusAndCode } from '#support/gateway/rule-calls.ts'

/** One step of each form that scenes take too. */
const changesOf = (home: TestHome): readonly object[] => [
  { device: home.id('living-lamp'), op: 'toggle' },
  { device: home.id('living-lamp'), op: 'set_brightness', args: { by: -20 } },
  { device: home.id('bedroom-shutter'), op: 'set_position', args: { by: 30 } },
  { delay: 60, random: 120 },
]

/** One step of each form that holds others or conditions. */
const treesOf = (home: TestHome): readonly object[] => [
  {
    if: [{ device: home.id('hall-light'), state: 'on', is: true }],
    then: [...changesOf(home)],
    else: [{ repeat: [power(home, 'hall-light', true)], every: 60, until: [{ sun: 'up' }], times: 20 }],
  },
  { wait: [{ any: [{ sun: 'up' }, { device: home.id('hall-light'), state: 'on', is: false }] }], timeout: 600 },
  { wait: [{ days: [1] }], timeout: 9.5, else: 'stop' },
  { restore: true },
]

const KINDS = [
  ['automation', { when: [{ time: '03:00' }] }],
  ['schedule', { at: { time: '03:00' } }],
] as const

verifies(
  ['automations.changes', 'automations.trees'],
  'steps of each form are stored, changed and exported as they were sent',
  async (home) => {
    const [changes, trees] = [changesOf(home), treesOf(home)]
    for (const [kind, times] of KINDS) {
      const rules = new RuleCalls(home, kind)
      const made = await rules.create({ name: 'Steps', ...times, then: [...changes, ...trees] })
      expect(made['then']).toEqual([...changes, ...trees])
      expect((await rules.get(made.id))['then']).toEqual([...changes, ...trees])
      const edited = await rules.edit(made.id, { then: trees, ifRevision: made.revision })
      expect(edited).toMatchObject({ then: trees, revision: 2 })
    }
    const scenes = new RuleCalls(home, 'scene')
    const scene = await scenes.create({ name: 'Changes', steps: changes })
    expect((await scenes.get(scene.id)).steps).toEqual(changes)
    const before = await houseFile(home)
    await importHouse(home, before)
    expect(await houseFile(home)).toEqual(before)
  },
)

verifies(
  ['automations.changes', 'automations.trees', 'automations.pointer'],
  'a wrong or unsuitable step inside another is refused with its place',
  async (home) => {
    const automations = new RuleCalls(home, 'automation')
    const inside = (step: object): object => ({
      if: [{ days: [1] }],
      then: [power(home, 'hall-light', true)],
      else: [step],
    })
    for (const [step, at] of [
      [{ device: home.id('front-door'), op: 'toggle' }, '/then/0/else/0/op'],
      [{ device: home.id('driveway-gate'), op: 'toggle' }, '/then/0/else/0/op'],
      [{ device: home.id('hall-light'), op: 'set_brightness', args: { by: 5 } }, '/then/0/else/0/op'],
      [{ device: home.id('living-lamp'), op: 'set_brightness', args: { by: 0 } }, '/then/0/else/0/args/by'],
      [{ repeat: [{ device: home.id('hall-light'), op: 'open' }], every: 5, times: 2 }, '/then/0/else/0/repeat/0/op'],
      [
        { wait: [{ device: home.id('hall-light'), state: 'bri', above: 5 }], timeout: 5 },
        '/then/0/else/0/wait/0/state',
      ],
    ] as const)
      for (const path of [undefined, 'try']) {
        const draft = { name: 'Never', when: [{ time: '03:00' }], then: [inside(step)] }
        const answer = await automations.send('POST', path, draft)
        expect(statusAndCode(answer), answer.text).toEqual([422, 'validation'])
        expect((answer.body as { error: { at: string } }).error.at).toBe(at)
      }
  },
)

verifies(
  ['automations.trees', '4.rule2.lock'],
  'an opening inside a step counts, and hidden devices inside hide the rule',
  async (home) => {
    const careful = await home.integrate({ settings: { automations: 'on', allow_unlock: 'off' } })
    const part = await home.integrate({ expose: ['unit:hall-light'], settings: { automations: 'on' } })
    const draft = (who: typeof part, local: string, op: string): object => ({
      name: 'Inside',
      when: [{ time: '03:00' }],
      then: [{ repeat: [{ if: [{ days: [1] }], then: [{ device: home.id(local, who), op }] }], every: 60, times: 2 }],
    })
    const automations = new RuleCalls(home, 'automation')
    const refused = await automations.as(careful).send('POST', undefined, draft(careful, 'front-door', 'open'))
    expect(statusAndCode(refused)).toEqual([403, 'unlock_not_allowed'])
    const made = await automations.create(draft(home.main, 'living-lamp', 'toggle'))
    const theirs = automations.as(part)
    expect(statusAndCode(await theirs.send('GET', theirs.mine(made.id)))).toEqual([404, 'not_found'])
    const [hidden, invented] = await Promise.all(
      ['living-lamp', 'invented'].map((device) =>
        theirs.send('POST', undefined, {
          ...draft(part, 'unit:hall-light', 'toggle'),
          then: [
            {
              repeat: [{ device: home.id('unit:hall-light', part).replace(/[^:]+$/, device), op: 'toggle' }],
              every: 9,
              times: 2,
            },
          ],
        }),
      ),
    )
    expect(statusAndCode(hidden!)).toEqual([404, 'not_found'])
    expect(hidden?.body).toEqual(invented?.body)
  },
)

interface Tried {
  readonly steps: readonly Foreseen[]
}
interface Foreseen {
  readonly after: number
  readonly steps?: readonly Foreseen[]
  readonly [field: string]: unknown
}

verifies(
  ['automations.trees', 'automations.changes'],
  'a dry run tells the branch, the rounds, the chosen times and the commands',
  async (home) => {
    const lit = [{ device: home.id('hall-light'), state: 'on', is: true }]
    const light = power(home, 'hall-light', true)
    const then = [
      light,
      { if: lit, then: [{ device: home.id('hall-light'), op: 'toggle' }], else: [light] },
      { delay: 10, random: 20 },
      { repeat: [light], every: 60, until: lit, times: 20 },
      { wait: [{ device: home.id('hall-light'), state: 'on', is: false }], timeout: 100, else: 'stop' },
      light,
    ]
    for (const [kind, times] of KINDS) {
      const answer = await new RuleCalls(home, kind).send('POST', 'try', { name: 'Tried', ...times, then })
      expect(answer.status, answer.text).toBe(200)
      const { steps } = answer.body as Tried
      const off = { op: 'set_power', args: { on: false } }
      expect(steps[1]).toMatchObject({ after: 0, branch: 'then', steps: [{ command: off }] })
      const waits = Number(steps[2]?.['waits'])
      expect(waits).toBeGreaterThanOrEqual(10)
      expect(waits).toBeLessThanOrEqual(30)
      expect(steps[3]).toMatchObject({ after: waits, rounds: 1, steps: [{ after: waits }] })
      expect(steps[4]).toMatchObject({ met: false, waits: 100 })
      expect(steps[5]).toMatchObject({ reached: false })
    }
  },
)

verifies(
  ['automations.pointer'],
  'a refusal names also a wrong field that is no part of a list, of rules, scenes and groups',
  async (home) => {
    const when = [{ time: '03:00' }]
    const then = [{ delay: 1 }]
    const at = { time: '03:00' }
    for (const [path, body, place] of [
      ['automations', { name: '', when, then }, '/name'],
      ['automations', { name: 'A', when, then, mode: 'never' }, '/mode'],
      ['automations', { name: 'A', when, then, enabled: 'yes' }, '/enabled'],
      ['automations', { name: 'A', when }, '/then'],
      ['schedules', { name: 'A', at, then, days: [8] }, '/days/0'],
      ['scenes', { name: 'A', steps: [], icon: 7 }, '/icon'],
      ['groups', { name: '', members: [] }, '/name'],
      ['groups', { name: 'A', members: [home.id('kitchen-panel')] }, '/members/0'],
    ] as const) {
      const { text, body: answer } = await home.call({ method: 'POST', path: `/v1/${path}`, body })
      expect([path, (answer as { error?: { at?: string } }).error?.at], text).toEqual([path, place])
    }
  },
)
