import { z } from 'zod'
import { endpoint } from '../../api/contract/endpoint.ts'
import { epochMs, Name, listOf, textOrNull, whether } from '../../api/contract/fields.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { LOCAL_ID } from '../../home/model/house.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'
import { force, LocalId, LocalParams } from './shapes.ts'

const Modes = looseObject(() => ({
  mode: LocalId.describe('The id of the mode that holds.'),
  until: epochMs('End of a temporary mode, or null.').nullable(),
  previous: textOrNull('The id of the mode that returns after a temporary one, or null.'),
  modes: listOf('A mode that the home can have.', () => ({
    id: LocalId,
    name: Name,
    builtIn: whether('True for a mode of every home: it can be renamed, but not removed.'),
  })),
}))

/** The list of modes; programs and the console set the mode by `PUT /v1/mode`. */
export const modes = {
  'modes.list': endpoint('GET', '/admin/v1/modes', { summary: 'The modes of the home', answer: Modes }),
  'modes.add': endpoint('POST', '/admin/v1/modes', {
    summary: 'Add a mode',
    body: strictObject(() => ({
      name: PlainName,
      id: z.string().regex(LOCAL_ID).optional().describe('The local id; by default it is made of the name.'),
    })),
    answer: Modes,
  }),
  'modes.rename': endpoint('PATCH', '/admin/v1/modes/{id}', {
    summary: 'Rename a mode',
    params: LocalParams,
    body: strictObject(() => ({ name: PlainName })),
    answer: Modes,
    errors: ['not_found'],
  }),
  'modes.remove': endpoint('DELETE', '/admin/v1/modes/{id}', {
    summary: 'Remove a mode; the home leaves it',
    params: LocalParams,
    ...force,
    answer: Modes,
    errors: ['not_found'],
  }),
} as const
