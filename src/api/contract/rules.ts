import { z } from 'zod'
import {
  atSchema,
  automationCreateSchema,
  automationEditSchema,
  runModeSchema,
  scheduleCreateSchema,
  scheduleEditSchema,
  triggerSchema,
} from '../../home/rules/schema.ts'
import { stepSchema } from '../../home/rules/step-schema.ts'
import { conditionSchema, weekdaysSchema } from '../../home/rules/condition-schema.ts'
import { endpoint } from './endpoint.ts'
import { needs } from './knobs.ts'
import { epochMs, idOf, Name, whether, named } from './fields.ts'
import { OriginShape, Revision } from './shapes.ts'
import { looseObject } from '../../lib/late-object.ts'

const common = {
  name: Name,
  enabled: whether('False: it never runs by itself.'),
  revision: Revision,
  origin: OriginShape,
}
const steps = z.array(stepSchema).describe('Its steps, performed in order.')

export const Automation = named('Automation', 'Actions of the gateway when something happens.', () => ({
  id: idOf('the automation'),
  ...common,
  when: z.array(triggerSchema).describe('Triggers; any of them starts a run.'),
  if: z.array(conditionSchema).describe('Conditions; all of them have to hold.'),
  then: steps,
  mode: runModeSchema,
  paused: whether('True after the gateway stopped a loop, until the next edit.'),
}))

export const Schedule = named('Schedule', 'Actions of the gateway at certain times.', () => ({
  id: idOf('the schedule'),
  ...common,
  at: atSchema,
  days: weekdaysSchema,
  if: z.array(conditionSchema).describe('Conditions; all of them have to hold.'),
  then: steps,
  next: epochMs('The next run, or null.').nullable(),
}))

export const AutomationCreate = automationCreateSchema.meta({
  id: 'AutomationCreate',
  description: 'A new automation.',
})
export const AutomationEdit = automationEditSchema.meta({
  id: 'AutomationEdit',
  description: 'Fields to change; missing fields stay as they are.',
})
export const ScheduleCreate = scheduleCreateSchema.meta({ id: 'ScheduleCreate', description: 'A new schedule.' })

export const ScheduleEdit = scheduleEditSchema.meta({
  id: 'ScheduleEdit',
  description: 'Fields to change; missing fields stay as they are.',
})

/**
 * Automations and schedules. Their knob decides about seeing them, so it is checked before any id
 * (docs/decisions/refusals.md).
 */
export const rules = {
  'automations.list': endpoint('GET', '/v1/automations', {
    summary: 'The automations that use only exposed devices and scenes',
    spec: '2.5, 4',
    gate: needs.automations,
    tagged: true,
    answer: looseObject(() => ({ automations: z.array(Automation) })),
  }),
  'automations.create': endpoint('POST', '/v1/automations', {
    configures: true,
    summary: 'Create an automation',
    spec: '2.5, 4',
    gate: needs.automations,
    status: 201,
    body: AutomationCreate,
    answer: looseObject(() => ({ automation: Automation })),
    errors: ['not_found', 'unlock_not_allowed', 'tell_not_allowed'],
  }),
  'automations.get': endpoint('GET', '/v1/automations/{id}', {
    summary: 'One automation',
    spec: '2.5, 4',
    subject: 'automation',
    gate: needs.automations,
    tagged: true,
    answer: looseObject(() => ({ automation: Automation })),
  }),
  'automations.edit': endpoint('PATCH', '/v1/automations/{id}', {
    configures: true,
    summary: 'Edit an automation; PUT does the same',
    spec: '2.5, 4.rule6',
    subject: 'automation',
    gate: needs.automations,
    aliases: ['PUT'],
    body: AutomationEdit,
    answer: looseObject(() => ({ automation: Automation })),
    errors: ['revision_mismatch', 'unlock_not_allowed', 'tell_not_allowed'],
  }),
  'schedules.list': endpoint('GET', '/v1/schedules', {
    summary: "The gateway's schedules that use only exposed devices and scenes",
    spec: '2.5, 4',
    gate: needs.schedules,
    tagged: true,
    answer: looseObject(() => ({ schedules: z.array(Schedule) })),
  }),
  'schedules.create': endpoint('POST', '/v1/schedules', {
    configures: true,
    summary: 'Create a schedule',
    spec: '2.5, 4',
    gate: needs.schedules,
    status: 201,
    body: ScheduleCreate,
    answer: looseObject(() => ({ schedule: Schedule })),
    errors: ['not_found', 'unlock_not_allowed', 'tell_not_allowed'],
  }),
  'schedules.get': endpoint('GET', '/v1/schedules/{id}', {
    summary: 'One schedule',
    spec: '2.5, 4',
    subject: 'schedule',
    gate: needs.schedules,
    tagged: true,
    answer: looseObject(() => ({ schedule: Schedule })),
  }),
  'schedules.edit': endpoint('PATCH', '/v1/schedules/{id}', {
    configures: true,
    summary: 'Edit a schedule; PUT does the same',
    spec: '2.5, 4.rule6',
    subject: 'schedule',
    gate: needs.schedules,
    aliases: ['PUT'],
    body: ScheduleEdit,
    answer: looseObject(() => ({ schedule: Schedule })),
    errors: ['revision_mismatch', 'unlock_not_allowed', 'tell_not_allowed'],
  }),
} as const
