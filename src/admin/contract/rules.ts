import { z } from 'zod'
import { epochMs, Name, text, textOrNull, whether, named, listOf } from '../../api/contract/fields.ts'
import { Revision } from '../../api/contract/shapes.ts'
import { endpoint } from '../../api/contract/endpoint.ts'
import { LocalId, LocalParams } from './shapes.ts'

const common = {
  id: LocalId,
  name: Name,
  enabled: whether('False: it never runs by itself.'),
  revision: Revision,
  createdBy: textOrNull("The credential's label, or null: an administrator."),
}
const InWords = z.array(z.string()).describe('In words, one sentence each.')

const SceneInWords = named('SceneInWords', 'A scene, told in words.', {
  id: LocalId,
  name: Name,
  icon: textOrNull('The name of its icon in the app.'),
  room: textOrNull('The name of the room where it is shown.'),
  floor: textOrNull('The name of the floor where it is shown.'),
  revision: Revision,
  createdBy: common.createdBy,
  running: whether('Whether it runs now.'),
  steps: InWords,
  usedBy: InWords.describe('Automations and schedules: `automation Dusk (id)`.'),
})

const AutomationInWords = named('AutomationInWords', 'An automation, told in words.', {
  ...common,
  paused: whether('True once the gateway cut a loop, until the next edit.'),
  mode: z.enum(['single', 'restart', 'queued']).describe('When it is set off while it still runs.'),
  when: InWords,
  if: InWords,
  then: InWords,
})

const ScheduleInWords = named('ScheduleInWords', 'A schedule, told in words.', {
  ...common,
  at: text('When, in words.'),
  next: epochMs('The next run, or null.').nullable(),
  then: InWords,
})

const Trial = named('Trial', 'What an automation would do now.', {
  id: LocalId,
  name: Name,
  enabled: common.enabled,
  paused: whether('True once the gateway cut a loop, until the next edit.'),
  when: listOf('What sets it off.', {
    text: text('In words.'),
    next: epochMs('When it comes next, or null.').nullable(),
  }),
  if: listOf('What has to hold.', {
    text: text('In words.'),
    now: textOrNull('What is so now, in words.'),
    holds: whether('Whether it holds now.'),
  }),
  then: InWords,
  wouldRun: whether('Whether it would run if it were set off now.'),
  because: textOrNull('Why it would not, in one sentence.'),
})

const UpcomingRun = named('UpcomingRun', 'Something that the clock sets off.', {
  kind: z.enum(['automation', 'schedule']).describe('What it is.'),
  id: LocalId,
  name: Name,
  at: epochMs('When it runs.'),
  text: text('What sets it off: `at 07:00 on Mon-Fri`.'),
})

const one = { params: LocalParams, errors: ['not_found'] } as const
const Switched = z.strictObject({
  enabled: whether('Whether it runs by itself. The administrator who switches it on answers for what it does.'),
})
const Deleted = z.looseObject({ deleted: LocalId })

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
    query: z.strictObject({
      force: z.enum(['true', 'false']).optional().describe('true: also while rules use it.'),
    }),
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
  'automations.switch': endpoint('PATCH', '/admin/v1/automations/{id}', {
    ...one,
    summary: 'Switch an automation on or off',
    body: Switched,
    answer: z.looseObject({ automation: AutomationInWords }),
    errors: ['not_found', 'sign_in_again'],
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
    query: z.strictObject({
      days: z.coerce
        .number<string>()
        .int()
        .min(1)
        .max(31)
        .optional()
        .describe('How many days; 7 unless told otherwise.'),
    }),
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
  'schedules.switch': endpoint('PATCH', '/admin/v1/schedules/{id}', {
    ...one,
    summary: 'Switch a schedule on or off',
    body: Switched,
    answer: z.looseObject({ schedule: ScheduleInWords }),
    errors: ['not_found', 'sign_in_again'],
  }),
  'schedules.delete': endpoint('DELETE', '/admin/v1/schedules/{id}', {
    ...one,
    summary: 'Delete a schedule',
    answer: Deleted,
  }),
} as const
