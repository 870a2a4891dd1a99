import { describe, expect, it } from 'vitest'
import { ANNA, RulesHome, automation, on, schedule } from '#support/homes/rules-home.ts'
import { readOnlyProblem } from './problems.ts'
import { ruleFileSchema, toRuleFile } from './rule-file.ts'

describe('rules in the house file', () => {
  it('are equal in another home', () => {
    const home = new RulesHome()
    home.automation({
      name: 'A',
      if: [{ after: 'sunset', days: [1] }],
      mode: 'queued',
      when: [{ device: 'm:1', state: 'on', is: true, for: 5 }],
    })
    home.schedule({ name: 'S', at: { sun: 'sunrise', offset: 10 }, enabled: false })
    home.rules.automations.update(
      home.rules.automations.list()[0]!.id,
      { then: [on('x'), { delay: 2 }, { scene: 'y' }] },
      1,
      ANNA,
      null,
    )
    const file = toRuleFile(home.rules.automations.list(), home.rules.schedules.list())
    const read = ruleFileSchema.parse(JSON.parse(JSON.stringify(file)))
    const other = new RulesHome()
    const parts = [
      other.rules.automations.replacement(read.automations, ANNA),
      other.rules.schedules.replacement(read.schedules, ANNA),
    ]
    for (const part of parts) other.change(part)
    expect(toRuleFile(other.rules.automations.list(), other.rules.schedules.list())).toEqual(file)
    expect(other.rules.automations.list()[0]).toMatchObject({ revision: 2, name: 'A', paused: false })
  })

  it('are refused with an unknown field, a bad id or a repeated id', () => {
    const file = {
      automations: [{ ...automation({}), id: 'a', revision: 1, origin: null }],
      schedules: [{ ...schedule({}), id: 's', revision: 1, origin: null }],
    }
    expect(ruleFileSchema.safeParse(file).success).toBe(true)
    expect(ruleFileSchema.safeParse({ ...file, more: 1 }).success).toBe(false)
    expect(ruleFileSchema.safeParse({ ...file, schedules: [{ ...file.schedules[0], id: 'S S' }] }).success).toBe(false)
    expect(ruleFileSchema.safeParse({ ...file, schedules: [...file.schedules, ...file.schedules] }).success).toBe(false)
  })

  it('replace the running ones: the old ones end, the new ones run', async () => {
    const home = new RulesHome()
    home.schedule({ at: { time: '12:01' }, then: [on('old'), { delay: 120 }, on('old')] })
    home.rules.start()
    await home.pass(60_000)
    const made = { ...schedule({ at: { time: '12:03' }, then: [on('new')] }), id: 'new', revision: 4, origin: null }
    home.change(home.rules.schedules.replacement([made], ANNA))
    await home.pass(600_000)
    expect(home.devices).toEqual(['old', 'new'])
  })
})

describe('read-only fields in an edit', () => {
  const readOnly = { id: 'g:i:automation:a', origin: { integration: 'i', link: 'l' } }
  it('may repeat the values that the client read', () => {
    expect(readOnlyProblem({ ifRevision: 3 }, readOnly)).toBeNull()
    expect(readOnlyProblem({ ...readOnly, revision: 3, ifRevision: 3 }, readOnly)).toBeNull()
    expect(readOnlyProblem({ origin: null, ifRevision: 1 }, { ...readOnly, origin: null })).toBeNull()
  })
  it('are refused with other values', () => {
    expect(readOnlyProblem({ id: 'other', ifRevision: 3 }, readOnly)?.field).toBe('id')
    expect(readOnlyProblem({ revision: 2, ifRevision: 3 }, readOnly)?.field).toBe('revision')
    expect(readOnlyProblem({ origin: { integration: 'i', link: 'm' }, ifRevision: 3 }, readOnly)?.field).toBe('origin')
    expect(readOnlyProblem({ origin: null, ifRevision: 3 }, readOnly)?.field).toBe('origin')
  })
})
