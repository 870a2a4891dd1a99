import { z } from 'zod'
import {
  automationCreateSchema,
  automationEditSchema,
  scheduleCreateSchema,
  scheduleEditSchema,
} from '../../home/rules/schema.ts'
import { endpoint, type Gate } from '../endpoint.ts'
import { IdParams, NoQuery, OriginShape, Revision } from './shapes.ts'

const automationsOn = { knob: 'automations', anyOf: ['on'], else: 'automations_not_allowed' } as const satisfies Gate
const schedulesOn = { knob: 'schedules', anyOf: ['on'], else: 'schedules_not_allowed' } as const satisfies Gate
const none = z.strictObject({})

const common = { id: z.string(), name: z.string(), enabled: z.boolean(), revision: Revision, origin: OriginShape }
const part = z.looseObject({})

export const Automation = z
  .looseObject({
    ...common,
    when: z.array(part),
    if: z.array(part),
    then: z.array(part),
    mode: z.enum(['single', 'restart', 'queued']),
    paused: z.boolean().meta({ description: 'True once the gateway cut a loop, until the next edit.' }),
  })
  .meta({ id: 'Automation' })

export const Schedule = z
  .looseObject({
    ...common,
    at: part,
    days: z.array(z.int().min(1).max(7)),
    then: z.array(part),
    next: z.int().nullable().meta({ description: 'The next run (epoch ms), or null.' }),
  })
  .meta({ id: 'Schedule' })

const writeErrors = ['not_found', 'unlock_not_allowed'] as const

/** Automations and schedules: their knob covers seeing them, so it is asked before any id (D1). */
export const rules = {
  'automations.list': endpoint('GET', '/v1/automations', {
    summary: 'The automations whose every device and scene is exposed',
    spec: '2.5, 4',
    subject: 'none',
    gate: automationsOn,
    params: none,
    query: NoQuery,
    body: null,
    answer: z.looseObject({ automations: z.array(Automation) }),
    errors: ['automations_not_allowed'],
  }),
  'automations.create': endpoint('POST', '/v1/automations', {
    summary: 'Create an automation',
    spec: '2.5, 4',
    subject: 'none',
    gate: automationsOn,
    status: 201,
    params: none,
    query: NoQuery,
    body: automationCreateSchema.meta({ id: 'AutomationBody' }),
    answer: z.looseObject({ automation: Automation }),
    errors: ['automations_not_allowed', ...writeErrors],
  }),
  'automations.get': endpoint('GET', '/v1/automations/{id}', {
    summary: 'One automation',
    spec: '2.5, 4',
    subject: 'automation',
    gate: automationsOn,
    params: IdParams,
    query: NoQuery,
    body: null,
    answer: z.looseObject({ automation: Automation }),
    errors: ['automations_not_allowed', 'not_found'],
  }),
  'automations.edit': endpoint('PATCH', '/v1/automations/{id}', {
    summary: 'Edit an automation; PUT does the same',
    spec: '2.5, 4.rule6',
    subject: 'automation',
    gate: automationsOn,
    aliases: ['PUT'],
    params: IdParams,
    query: NoQuery,
    body: automationEditSchema.meta({ id: 'AutomationEdit' }),
    answer: z.looseObject({ automation: Automation }),
    errors: ['automations_not_allowed', 'revision_mismatch', ...writeErrors],
  }),
  'schedules.list': endpoint('GET', '/v1/schedules', {
    summary: "The gateway's schedules whose every device and scene is exposed",
    spec: '2.5, 4',
    subject: 'none',
    gate: schedulesOn,
    params: none,
    query: NoQuery,
    body: null,
    answer: z.looseObject({ schedules: z.array(Schedule) }),
    errors: ['schedules_not_allowed'],
  }),
  'schedules.create': endpoint('POST', '/v1/schedules', {
    summary: 'Create a schedule',
    spec: '2.5, 4',
    subject: 'none',
    gate: schedulesOn,
    status: 201,
    params: none,
    query: NoQuery,
    body: scheduleCreateSchema.meta({ id: 'ScheduleBody' }),
    answer: z.looseObject({ schedule: Schedule }),
    errors: ['schedules_not_allowed', ...writeErrors],
  }),
  'schedules.get': endpoint('GET', '/v1/schedules/{id}', {
    summary: 'One schedule',
    spec: '2.5, 4',
    subject: 'schedule',
    gate: schedulesOn,
    params: IdParams,
    query: NoQuery,
    body: null,
    answer: z.looseObject({ schedule: Schedule }),
    errors: ['schedules_not_allowed', 'not_found'],
  }),
  'schedules.edit': endpoint('PATCH', '/v1/schedules/{id}', {
    summary: 'Edit a schedule; PUT does the same',
    spec: '2.5, 4.rule6',
    subject: 'schedule',
    gate: schedulesOn,
    aliases: ['PUT'],
    params: IdParams,
    query: NoQuery,
    body: scheduleEditSchema.meta({ id: 'ScheduleEdit' }),
    answer: z.looseObject({ schedule: Schedule }),
    errors: ['schedules_not_allowed', 'revision_mismatch', ...writeErrors],
  }),
} as const
