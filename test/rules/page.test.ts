import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  automationCreateSchema,
  conditionSchema,
  scheduleCreateSchema,
  triggerSchema,
} from '../../src/home/rules/schema.ts'
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
