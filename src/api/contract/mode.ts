import { z } from 'zod'
import { looseObject, strictObject } from '../../lib/late-object.ts'
import { endpoint } from './endpoint.ts'
import { epochMs, named, Name, text, textOrNull } from './fields.ts'

const ModeId = text('The id of a mode, such as home, away, night, vacation or guest.')

const fields = {
  mode: ModeId,
  name: Name,
  since: epochMs('Time at which it began.'),
  until: epochMs('End of a temporary mode, or null.').nullable(),
  previous: textOrNull('The id of the mode that returns after a temporary one, or null.'),
  modes: z
    .array(named('HomeMode', 'A mode that the home can have.', () => ({ id: ModeId, name: Name })))
    .describe('The modes of the home.'),
}

/** The mode of the home. Exactly one holds. */
export const ModeShape = looseObject(() => fields)

export const ModeBody = strictObject(() => ({
  mode: z.string().min(1).max(40).describe('The id of a mode of the home.'),
  until: z
    .int()
    .nullish()
    .describe('End in epoch ms: then the mode that lasted before returns. Missing or null: the mode lasts.'),
}))

export const mode = {
  'mode.get': endpoint('GET', '/v1/mode', {
    summary: 'The mode of the home, and the modes that it can have',
    spec: '2.3; docs/devices.md#modes',
    subject: 'mode',
    answer: ModeShape,
  }),
  'mode.set': endpoint('PUT', '/v1/mode', {
    configures: true,
    summary: 'Set the mode of the home, for good or until a time',
    spec: '2.4; docs/devices.md#modes',
    subject: 'mode',
    body: ModeBody,
    answer: ModeShape,
  }),
} as const
