import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  automationCreateSchema,
  conditionSchema,
  scheduleCreateSchema,
  triggerSchema,
} from '../../src/home/rules/schema.ts'
import { type TestHome, verifies } from '#support/gateway/harness.ts'
import { codeOf, tablesOf } from '#support/project/markdown-tables.ts'

const page = readFileSync(new URL('../../docs/automations.md', import.meta.url), 'utf8')
const samples = (header: string): unknown[] =>
  tablesOf(page)
    .find((table) => table.headers[0] === header)!
    .rows.map(([sample]) => JSON.parse(sample!.slice(1, -1)) as unknown)

describe('docs/automations.md', () => {
  it('shows an automation and a schedule that can be made', () => {
    const [automation, schedule] = codeOf(page, 'json').map((text) => JSON.parse(text) as unknown)
    expect(automationCreateSchema.parse(automation)).toEqual(automation)
    expect(scheduleCreateSchema.parse(schedule)).toEqual(schedule)
  })

  it('shows triggers and conditions that can be written, one of each kind', () => {
    const triggers = samples('trigger')
    for (const trigger of triggers) expect(triggerSchema.parse(trigger)).toEqual(trigger)
    expect(triggers).toHaveLength(triggerSchema.options.length)
    const conditions = samples('condition')
    for (const condition of conditions) expect(conditionSchema.parse(condition)).toEqual(condition)
    expect(conditions).toHaveLength(conditionSchema.options.length)
  })
})

/** What is named by local ids, or by the ends of device ids, as `/v1` names it in this home. */
function inHome(home: TestHome, value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, each: unknown) => {
    if ((key !== 'device' && key !== 'scene') || typeof each !== 'string') return each
    if (each.startsWith('…:')) return home.id(each.slice('…:'.length))
    return home.id(key === 'scene' ? `scene:${each}` : each)
  })
}

interface Trial {
  readonly if: readonly { readonly condition: object }[]
  readonly steps: readonly { readonly step: object; readonly after: number; readonly steps?: Trial['steps'] }[]
}

/** What is foreseen of steps, without what depends on how the units are. */
const foreseen = (steps: Trial['steps']): readonly object[] =>
  steps.map((each) => ({
    step: each.step,
    after: each.after,
    ...(each.steps ? { steps: foreseen(each.steps) } : {}),
  }))

describe('the examples of docs/automations.md', () => {
  verifies(
    ['automations.triggers', 'automations.conditions'],
    'can be made in the demo home as they stand',
    async (home) => {
      const post = (path: string, body: unknown) => home.call({ method: 'POST', path, body: inHome(home, body) })
      const [automation, schedule] = codeOf(page, 'json').map((text) => JSON.parse(text) as unknown)
      expect(await post('/v1/automations', automation)).toMatchObject({ status: 201 })
      expect(await post('/v1/schedules', schedule)).toMatchObject({ status: 201 })
      const small = { name: 'Sample', when: [{ time: '03:00' }], then: [{ delay: 1 }] }
      for (const trigger of samples('trigger'))
        expect(await post('/v1/automations', { ...small, when: [trigger] })).toMatchObject({ status: 201 })
      for (const condition of samples('condition'))
        expect(await post('/v1/automations', { ...small, if: [condition] })).toMatchObject({ status: 201 })
    },
  )

  verifies('automations.dry-run', 'are foreseen by a dry run as the page shows', async (home) => {
    const shown = inHome(home, JSON.parse(codeOf(page, 'json')[2] ?? '')) as Trial
    const draft = {
      name: 'Sample',
      when: [{ time: '03:00' }],
      if: shown.if.map(({ condition }) => condition),
      then: shown.steps.map(({ step }) => step),
    }
    const { status, body } = await home.call({ method: 'POST', path: '/v1/automations/try', body: draft })
    expect(status).toBe(200)
    const trial = body as Trial
    expect(trial.if.map(({ condition }) => condition)).toEqual(draft.if)
    expect(foreseen(trial.steps)).toEqual(foreseen(shown.steps))
  })
})
