import { z } from 'zod'
import { looseObject } from '../../lib/late-object.ts'
import { endpoint } from './endpoint.ts'
import { growing, listOf, Name, named, text, whether } from './fields.ts'

/** Most ids that one blank proposes. */
export const CHOICES_MAX = 10

const Starter = named('Starter', 'A draft of a rule for a job that many homes have.', () => ({
  id: text('The id of the starter.'),
  name: Name,
  text: text('Its effect in words.'),
  kind: growing(['automation', 'schedule'], 'Kind of rule.'),
  blanks: listOf('A place to fill.', () => ({
    name: text('Its name; the draft has it with `$` before it in place of an id.'),
    kind: growing(['device', 'scene', 'room', 'person', 'calendar', 'rule'], 'Kind of thing that fills it.'),
    text: text('Its meaning.'),
    choices: z.array(z.string()).max(CHOICES_MAX).describe('The ids of exposed things that fit.'),
    more: whether('True if further things fit, for which `choices` has no room.'),
  })),
  draft: z
    .record(z.string(), z.unknown())
    .describe('Body of `POST /v1/automations` or `/v1/schedules`, once its blanks are filled.'),
}))

export const starters = {
  'starters.list': endpoint('GET', '/v1/starters', {
    summary: 'Drafts of rules for common jobs, with blanks to fill',
    spec: 'docs/automations.md#starters',
    answer: looseObject(() => ({ starters: z.array(Starter) })),
  }),
} as const
