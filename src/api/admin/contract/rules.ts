import { z } from 'zod'
import { Revision } from '../../contract/shapes.ts'
import { endpoint } from '../../endpoint.ts'
import { LocalParams } from './shapes.ts'

const common = {
  id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  revision: Revision,
  createdBy: z.string().nullable().meta({ description: "The credential's label, or null: an administrator." }),
}
const InWords = z.array(z.string())

const SceneInWords = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    icon: z.string().nullable(),
    room: z.string().nullable(),
    floor: z.string().nullable(),
    revision: Revision,
    createdBy: common.createdBy,
    running: z.boolean(),
    steps: InWords,
    usedBy: InWords.meta({ description: 'Automations and schedules: `automation Dusk (id)`.' }),
  })
  .meta({ id: 'SceneInWords' })

const AutomationInWords = z
  .looseObject({
    ...common,
    paused: z.boolean(),
    mode: z.enum(['single', 'restart', 'queued']),
    when: InWords,
    if: InWords,
    then: InWords,
  })
  .meta({ id: 'AutomationInWords' })

const ScheduleInWords = z
  .looseObject({ ...common, at: z.string(), next: z.int().nullable(), then: InWords })
  .meta({ id: 'ScheduleInWords' })

const Trial = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    paused: z.boolean(),
    when: z.array(z.looseObject({ text: z.string(), next: z.int().nullable() })),
    if: z.array(z.looseObject({ text: z.string(), now: z.string().nullable(), holds: z.boolean() })),
    then: InWords,
    wouldRun: z.boolean(),
    because: z.string().nullable().meta({ description: 'Why it would not, in one sentence.' }),
  })
  .meta({ id: 'Trial' })

const UpcomingRun = z
  .looseObject({
    kind: z.enum(['automation', 'schedule']),
    id: z.string(),
    name: z.string(),
    at: z.int(),
    text: z.string().meta({ description: 'What sets it off: `at 07:00 on Mon-Fri`.' }),
  })
  .meta({ id: 'UpcomingRun' })

const one = { params: LocalParams, errors: ['not_found'] } as const
const Deleted = z.looseObject({ deleted: z.string() })

/** Scenes, automations and schedules in words; only here they are deleted. */
export const rules = {
  'scenes.list': endpoint('GET', '/admin/v1/scenes', {
    summary: 'All scenes, their steps in words',
    answer: z.looseObject({ scenes: z.array(SceneInWords) }),
  }),
  'scenes.show': endpoint('GET', '/admin/v1/scenes/{id}', {
    ...one,
    summary: 'One scene',
    answer: z.looseObject({ scene: SceneInWords }),
  }),
  'scenes.delete': endpoint('DELETE', '/admin/v1/scenes/{id}', {
    ...one,
    summary: 'Delete a scene',
    query: z.strictObject({ force: z.enum(['true', 'false']).optional() }),
    answer: Deleted,
  }),
  'automations.list': endpoint('GET', '/admin/v1/automations', {
    summary: 'All automations in words',
    answer: z.looseObject({ automations: z.array(AutomationInWords) }),
  }),
  'automations.show': endpoint('GET', '/admin/v1/automations/{id}', {
    ...one,
    summary: 'One automation',
    answer: z.looseObject({ automation: AutomationInWords }),
  }),
  'automations.delete': endpoint('DELETE', '/admin/v1/automations/{id}', {
    ...one,
    summary: 'Delete an automation',
    answer: Deleted,
  }),
  'automations.try': endpoint('GET', '/admin/v1/automations/{id}/try', {
    ...one,
    summary: 'What it would do if it were set off now; nothing is done',
    answer: z.looseObject({ trial: Trial }),
  }),
  'runs.next': endpoint('GET', '/admin/v1/runs', {
    summary: 'What the clock sets off in the coming days',
    query: z.strictObject({ days: z.coerce.number<string>().int().min(1).max(31).optional() }),
    answer: z.looseObject({ runs: z.array(UpcomingRun) }),
  }),
  'schedules.list': endpoint('GET', '/admin/v1/schedules', {
    summary: 'All schedules in words, with their next run',
    answer: z.looseObject({ schedules: z.array(ScheduleInWords) }),
  }),
  'schedules.show': endpoint('GET', '/admin/v1/schedules/{id}', {
    ...one,
    summary: 'One schedule',
    answer: z.looseObject({ schedule: ScheduleInWords }),
  }),
  'schedules.delete': endpoint('DELETE', '/admin/v1/schedules/{id}', {
    ...one,
    summary: 'Delete a schedule',
    answer: Deleted,
  }),
} as const
