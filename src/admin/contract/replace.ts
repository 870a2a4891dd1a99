import { z } from 'zod'
import { ADDRESS_MAX } from '../../home/house/house-file.ts'
import { GANG_CLASSES, UNIT_CLASSES } from '../../home/model/device.ts'
import { Name, text, textOrNull, whether, count, named, listOf } from '../../api/contract/fields.ts'
import { endpoint } from '../../api/contract/endpoint.ts'
import { LocalId } from './shapes.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

const Physical = named('PhysicalUnit', 'A physical unit behind an id of the house.', () => ({
  address: z.int().describe('Its address on the unit protocol.'),
  model: textOrNull('The hardware model, if known.'),
  class: z.enum(UNIT_CLASSES).describe('Class; decides the operations.'),
  gangs: listOf('One gang of it.', () => ({
    gang: count('Its position on the module, from 0.'),
    class: z.enum(GANG_CLASSES).describe('Class; decides the operations.'),
  })).describe('Empty unless it is a module.'),
}))

const Place = named('MisfitPlace', 'A place that refers to a replaced unit and does not fit the new one.', () => ({
  kind: z
    .enum(['scene', 'group', 'automation', 'schedule', 'unit', 'integration', 'confirmation'])
    .describe('Kind of the owner of the place.'),
  id: text('The id of the scene, group, rule, unit, integration or confirmation.'),
  name: Name,
  part: z
    .enum(['when', 'if', 'then', 'steps', 'members', 'light', 'expose', 'call'])
    .describe('Field of the owner: a trigger, a condition, a step, a light flag, a pick or a call.'),
  position: z.int().min(0).nullable().describe('The position in that field, from 0; null if it is not a list.'),
  device: LocalId,
  what: text('The place in words: `Floor lamp: set brightness to 40 %`.'),
  problem: text('Reason why it does not fit the new unit, as the end of a sentence.'),
  proposal: z
    .enum(['change', 'leave_out', 'switch_off', 'delete', 'end'])
    .describe(
      'Action for the place. `change`: it becomes `becomes`; `leave_out`: it is removed; `switch_off`: it is removed and the rule is turned off; `delete`: the rule has nothing left and is deleted; `end`: the confirmation ends.',
    ),
  becomes: textOrNull('With `change`: the replacement in words; else null.'),
}))

/** Replacement of the physical unit behind an id of the house. */
export const replace = {
  'house.replace': endpoint('POST', '/admin/v1/house/replace', {
    summary: 'Replace the unit behind an id of the house by another unit of the bus, or preview that',
    stepUp: (body) => !(body as { readonly dryRun: boolean }).dryRun,
    body: strictObject(() => ({
      unit: z.string().max(40).describe('The local id of the unit to replace.'),
      address: z
        .int()
        .min(1)
        .max(ADDRESS_MAX)
        .describe('The address of the new unit. If another unit of the house has it, the two exchange addresses.'),
      dryRun: whether('True for a preview.').default(false),
      ifRevision: z
        .string()
        .max(64)
        .optional()
        .describe('The revision of the confirmed preview: refused if it has changed since.'),
    })),
    answer: looseObject(() => ({
      dryRun: whether('True: nothing was changed.'),
      revision: text('Differs whenever units or places differ; for `ifRevision`.'),
      units: listOf('A replaced unit.', () => ({
        id: LocalId,
        name: Name,
        before: Physical.describe('The unit behind the id before.'),
        after: Physical.describe('The unit behind the id afterwards.'),
        settingsKnown: whether('False: the settings of the old unit are unknown, so none is written to the new one.'),
        readingsKnown: whether(
          'False: the new unit is a sensor or meter without reported readings, so places about its readings and detections are missing.',
        ),
      })).describe('The replaced unit, and the one that it exchanges its address with.'),
      places: z.array(Place).describe('All places that do not fit, with their actions.'),
      settings: listOf('A setting that people choose and that the new unit takes.', () => ({
        device: LocalId,
        intent: text('The id of the setting.'),
        what: text('The setting with its value, in words: `off delay set to 90 s`.'),
      })).describe(
        'Settings of the old unit that are written to the new one after the response; the activity shows the results.',
      ),
    })),
    errors: [
      'not_found',
      'unauthorized',
      'revision_mismatch',
      'hmhc_unavailable',
      'unit_unreachable',
      'overloaded',
      'rate_limited',
    ],
  }),
} as const
