import { z } from 'zod'
import { epochMs, Name, text, textOrNull, whether, named, listOf } from '../../api/contract/fields.ts'
import { Revision } from '../../api/contract/shapes.ts'
import { endpoint } from '../../api/contract/endpoint.ts'
import { force, LocalId, LocalParams, UsedBy } from './shapes.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

const common = {
  id: LocalId,
  name: Name,
  enabled: whether('False: it never runs by itself.'),
  until: epochMs('End of a temporary switch: it then is in the other state; else null.').nullable(),
  revision: Revision,
  createdBy: textOrNull("The credential's label, or null: an administrator."),
}
const InWords = z.array(z.string()).describe('Sentences in words.')

const SceneInWords = named('SceneInWords', 'A scene in words.', () => ({
  id: LocalId,
  name: Name,
  icon: textOrNull('The name of its icon in the app.'),
  room: textOrNull('The name of the room where it is shown.'),
  floor: textOrNull('The name of the floor where it is shown.'),
  revision: Revision,
  createdBy: common.createdBy,
  running: whether('True while it runs.'),
  steps: InWords,
  usedBy: UsedBy,
}))

const AutomationInWords = named('AutomationInWords', 'An automation in words.', () => ({
  ...common,
  paused: whether('True after the gateway stopped a loop, until the next edit.'),
  mode: z.enum(['single', 'restart', 'queued']).describe('Behaviour of a trigger during a run.'),
  when: InWords,
  if: InWords,
  then: InWords,
}))

const ScheduleInWords = named('ScheduleInWords', 'A schedule in words.', () => ({
  ...common,
  at: text('Its times in words.'),
  next: epochMs('The next run, or null.').nullable(),
  if: InWords,
  then: InWords,
}))

const Trial = named('Trial', 'Dry run of an automation.', () => ({
  id: LocalId,
  name: Name,
  enabled: common.enabled,
  paused: whether('True after the gateway stopped a loop, until the next edit.'),
  when: listOf('A trigger.', () => ({
    text: text('Text in words.'),
    next: epochMs('Time of its next occurrence, or null.').nullable(),
  })),
  if: listOf('A condition.', () => ({
    text: text('Text in words.'),
    now: textOrNull('Current value in words.'),
    holds: whether('True if it holds now.'),
  })),
  then: InWords,
  wouldRun: whether('True if it would run when triggered now.'),
  because: textOrNull('Reason why it would not run, in one sentence.'),
}))

const UpcomingRun = named('UpcomingRun', 'A run started by the clock.', () => ({
  kind: z.enum(['automation', 'schedule']).describe('Kind of rule.'),
  id: LocalId,
  name: Name,
  at: epochMs('Time of the run.'),
  text: text('Trigger: `at 07:00 on Mon-Fri`, with `if its conditions hold` if it has some.'),
}))

const one = { params: LocalParams, errors: ['not_found'] } as const
const Switched = strictObject(() => ({
  enabled: whether('True to let it run by itself. The administrator who switches it on becomes responsible for it.'),
  until: epochMs('Time from which it is in the other state again; missing or null: never.').nullish(),
}))
const Deleted = looseObject(() => ({ deleted: LocalId }))

/** Scenes, automations and schedules in words. Deletion is possible only here. */
export const rules = {
  'scenes.list': endpoint('GET', '/admin/v1/scenes', {
    summary: 'All scenes with their steps in words',
    answer: looseObject(() => ({ scenes: z.array(SceneInWords) })),
  }),
  'scenes.show': endpoint('GET', '/admin/v1/scenes/{id}', {
    ...one,
    summary: 'One scene',
    answer: looseObject(() => ({ scene: SceneInWords })),
  }),
  'scenes.delete': endpoint('DELETE', '/admin/v1/scenes/{id}', {
    ...one,
    ...force,
    summary: 'Delete a scene',
    answer: Deleted,
  }),
  'automations.list': endpoint('GET', '/admin/v1/automations', {
    summary: 'All automations in words',
    answer: looseObject(() => ({ automations: z.array(AutomationInWords) })),
  }),
  'automations.show': endpoint('GET', '/admin/v1/automations/{id}', {
    ...one,
    summary: 'One automation',
    answer: looseObject(() => ({ automation: AutomationInWords })),
  }),
  'automations.switch': endpoint('PATCH', '/admin/v1/automations/{id}', {
    ...one,
    summary: 'Switch an automation on or off',
    body: Switched,
    answer: looseObject(() => ({ automation: AutomationInWords })),
    errors: ['not_found', 'sign_in_again'],
  }),
  'automations.delete': endpoint('DELETE', '/admin/v1/automations/{id}', {
    ...one,
    ...force,
    summary: 'Delete an automation',
    answer: Deleted,
  }),
  'automations.try': endpoint('GET', '/admin/v1/automations/{id}/try', {
    ...one,
    summary: 'Predict the effect of triggering it now; nothing is done',
    answer: looseObject(() => ({ trial: Trial })),
  }),
  'runs.next': endpoint('GET', '/admin/v1/runs', {
    summary: 'Scheduled runs of the coming days',
    query: strictObject(() => ({
      days: z.coerce.number<string>().int().min(1).max(31).optional().describe('Number of days; 7 by default.'),
    })),
    answer: looseObject(() => ({ runs: z.array(UpcomingRun) })),
  }),
  'schedules.list': endpoint('GET', '/admin/v1/schedules', {
    summary: 'All schedules in words, with their next run',
    answer: looseObject(() => ({ schedules: z.array(ScheduleInWords) })),
  }),
  'schedules.show': endpoint('GET', '/admin/v1/schedules/{id}', {
    ...one,
    summary: 'One schedule',
    answer: looseObject(() => ({ schedule: ScheduleInWords })),
  }),
  'schedules.switch': endpoint('PATCH', '/admin/v1/schedules/{id}', {
    ...one,
    summary: 'Switch a schedule on or off',
    body: Switched,
    answer: looseObject(() => ({ schedule: ScheduleInWords })),
    errors: ['not_found', 'sign_in_again'],
  }),
  'schedules.delete': endpoint('DELETE', '/admin/v1/schedules/{id}', {
    ...one,
    ...force,
    summary: 'Delete a schedule',
    answer: Deleted,
  }),
} as const
