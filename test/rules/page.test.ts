import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { automationCreateSchema, scheduleCreateSchema, triggerSchema } from '../../src/home/rules/schema.ts'
import { stepSchema } from '../../src/home/rules/step-schema.ts'
import { conditionSchema } from '../../src/home/rules/condition-schema.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { codeBlocksOf, tablesOf } from '#support/project/markdown-tables.ts'

const page = readFileSync(new URL('../../docs/automations.md', import.meta.url), 'utf8')
const samples = (header: string): unknown[] =>
  tablesOf(page)
    .find((table) => table.headers[0] === header)!
    .rows.map(([sample]) => JSON.parse(sample!.slice(1, -1)) as unknown)

describe('docs/automations.md', () => {
  it('shows an automation and a schedule that can be created', () => {
    const [automation, schedule] = codeBlocksOf(page, 'json').map((text) => JSON.parse(text) as unknown)
    expect(automationCreateSchema.parse(automation)).toEqual(automation)
    expect(scheduleCreateSchema.parse(schedule)).toEqual(schedule)
  })

  it('shows valid steps', () => {
    const steps = samples('step')
    for (const step of steps) expect(stepSchema.parse(step)).toEqual(step)
  })

  it('shows valid triggers and conditions, one of each kind', () => {
    const triggers = samples('trigger')
    for (const trigger of triggers) expect(triggerSchema.parse(trigger)).toEqual(trigger)
    expect(triggers).toHaveLength(triggerSchema.options.length)
    const conditions = samples('condition')
    for (const condition of conditions) expect(conditionSchema.parse(condition)).toEqual(condition)
    expect(conditions).toHaveLength(conditionSchema.options.length)
  })
})

/** Replaces local ids, or ends of device ids, by the ids of `/v1` in this home. */
function inHome(home: TestHome, value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, step: unknown) => {
    if (!['device', 'scene', 'room', 'rule'].includes(key) || typeof step !== 'string') return step
    if (step.startsWith('…:')) return home.id(step.slice('…:'.length))
    return home.id(key === 'scene' || key === 'room' ? `${key}:${step}` : step)
  })
}

interface Trial {
  readonly if: readonly { readonly condition: object }[]
  readonly steps: readonly { readonly step: object; readonly after: number; readonly steps?: Trial['steps'] }[]
}

/** Predicted steps without the parts that depend on the units' state. */
const foreseen = (steps: Trial['steps']): readonly object[] =>
  steps.map((step) => ({
    step: step.step,
    after: step.after,
    ...(step.steps ? { steps: foreseen(step.steps) } : {}),
  }))

describe('the examples of docs/automations.md', () => {
  verifies(
    ['automations.triggers', 'automations.conditions'],
    'can be created in the demo home as written',
    async (home) => {
      await home.change(home.main, { people: 'anyone' })
      const post = (path: string, body: unknown) => home.call({ method: 'POST', path, body: inHome(home, body) })
      const [automation, schedule] = codeBlocksOf(page, 'json').map((text) => JSON.parse(text) as unknown)
      expect(await post('/v1/automations', automation)).toMatchObject({ status: 201 })
      expect(await post('/v1/schedules', schedule)).toMatchObject({ status: 201 })
      const small = { name: 'Sample', when: [{ time: '03:00' }], then: [{ delay: 1 }] }
      for (const trigger of samples('trigger'))
        expect(await post('/v1/automations', { ...small, when: [trigger] })).toMatchObject({ status: 201 })
      for (const condition of samples('condition'))
        expect(await post('/v1/automations', { ...small, if: [condition] })).toMatchObject({ status: 201 })
    },
  )

  verifies('automations.dry-run', 'match the result of a dry run', async (home) => {
    const example = inHome(home, JSON.parse(codeBlocksOf(page, 'json')[2] ?? '')) as Trial
    const draft = {
      name: 'Sample',
      when: [{ time: '03:00' }],
      if: example.if.map(({ condition }) => condition),
      then: example.steps.map(({ step }) => step),
    }
    const { status, body } = await home.call({ method: 'POST', path: '/v1/automations/try', body: draft })
    expect(status).toBe(200)
    const trial = body as Trial
    expect(trial.if.map(({ condition }) => condition)).toEqual(draft.if)
    expect(foreseen(trial.steps)).toEqual(foreseen(example.steps))
  })
})
