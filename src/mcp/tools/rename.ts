import { z } from 'zod'
import { tool } from '../tool.ts'
import { Id, Row } from './shapes.ts'

/** Renaming (Spec 4 rule 7). */
export const rename = tool('rename', {
  title: 'Rename a room, unit or gang',
  description:
    'Gives a room, a unit or a gang another name; needs the setting structural on. Nothing else about the structure can be changed here.',
  destructive: true,
  idempotent: true,
  input: z.strictObject({
    kind: z.enum(['room', 'device']).meta({ description: 'What it is.' }),
    id: Id,
    name: z.string().min(1).max(64).meta({ description: 'The new name.' }),
  }),
  output: z.looseObject({ house: z.string(), room: Row.optional(), device: Row.optional() }),
  run: ({ kind, id, name }, { caller }) =>
    caller.ask(kind === 'room' ? 'rooms.rename' : 'devices.rename', { id, body: { name } }),
})
