import { z } from 'zod'
import { EXPORT_TABLES } from '../../home/record/csv-export.ts'
import { endpoint } from '../../api/contract/endpoint.ts'
import { epochMs, Name, text, textOrNull, whether, count, named, listOf } from '../../api/contract/fields.ts'
import { FilePath } from './shapes.ts'
import { JUMP_ANSWERS } from '../../home/record/energy-corrections.ts'

/** The tariff, and the history as files. */
export const records = {
  'tariff.show': endpoint('GET', '/admin/v1/tariff', {
    summary: 'What electricity costs, as it was set',
    answer: z.looseObject({
      tariff: z.unknown().describe('What the file held that it was set from; null: none is set.'),
    }),
  }),
  'tariff.set': endpoint('PUT', '/admin/v1/tariff', {
    summary: 'Take the tariff from a file; all costs are worked out anew',
    body: z.strictObject({
      file: z
        .string()
        .max(256 * 1024)
        .describe('The content of the file, YAML.'),
    }),
    answer: z.looseObject({ tariffs: z.array(z.string()).describe('Their names, the oldest first.') }),
  }),
  'tariff.clear': endpoint('DELETE', '/admin/v1/tariff', {
    summary: 'Forget the tariff',
    answer: z.looseObject({ tariff: z.null().describe('There is none.') }),
  }),
  'history.export': endpoint('POST', '/admin/v1/history/export', {
    summary: 'Write a table of the history to a new CSV file',
    reach: 'socket',
    body: z.strictObject({
      table: z.enum(EXPORT_TABLES).describe('Which table.'),
      file: FilePath,
      from: epochMs('Rows from then on.').min(0).optional(),
      to: epochMs('Rows before then.').min(0).optional(),
    }),
    answer: z.looseObject({
      file: FilePath,
      rows: count('Rows that were written.'),
      bytes: count('The size of the file in bytes.'),
    }),
  }),
} as const

const NumberParams = z.strictObject({ id: z.string().regex(/^\d{1,15}$/) })
const device = text('The local id of the device, of a gang `UNIT:N`.')
const wattHours = z.number().describe('Watt-hours.')
const money = z.number().nullable().describe('In `currency`; null without a tariff.')

/** A jump of a counter that waits for an answer. */
export const EnergyJumpShape = named(
  'EnergyJump',
  'A counter grew by more than its device is believed to have taken.',
  {
    id: count('Its number.'),
    device,
    name: textOrNull('The name of the device, or the name that it had before it left the house; null where unknown.'),
    from: epochMs('Time of the last value before the jump.'),
    to: epochMs('Time of the first value after it.'),
    energy: wattHours.describe('Watt-hours that "count it" would add, spread over that time.'),
  },
)

const Correction = named('EnergyCorrection', 'Energy that is taken out of all sums, or put back.', {
  id: count('Its number.').nullable().describe('Its number; null of a dry run.'),
  device,
  name: textOrNull('The name of the device; null where it is unknown.'),
  from: epochMs('Begin of the corrected range: of a quarter of an hour, or of a day.'),
  to: epochMs('End of the corrected range.'),
  energy: wattHours,
  cost: money,
  currency: text('ISO 4217.'),
  wholeDaysBefore: epochMs(
    'Before this time only whole days are stored, so whole days were taken; null: nowhere.',
  ).nullable(),
})

/** In bodies that may change the currency of the home. */
export const relabelCosts = z
  .boolean()
  .optional()
  .describe(
    'Must be true to change the currency while there is a tariff or a cost: nothing is converted, so all amounts get the name of the new currency.',
  )

/** Devices that an import would take out of the house. */
export const Leaving = z
  .array(
    named('LeavingDevice', 'A device with energy or activity that would leave the house.', {
      id: device,
      name: Name,
      energy: wattHours.describe('Watt-hours that it took so far.'),
    }),
  )
  .optional()
  .describe(
    'With `check`: devices with a past that would leave. Their energy and activity stay for integrations that expose everything, as `gone`; to others they become hidden.',
  )

/** Energy that was counted wrongly. */
export const energy = {
  'energy.jumps': endpoint('GET', '/admin/v1/energy/jumps', {
    summary: 'Jumps of counters that are in no sum and wait for an answer, the oldest first',
    answer: z.looseObject({ jumps: z.array(EnergyJumpShape) }),
  }),
  'energy.answerJump': endpoint('POST', '/admin/v1/energy/jumps/{id}', {
    summary: 'Say whether a jump is energy that the device took, or another meter',
    params: NumberParams,
    body: z.strictObject({
      answer: z
        .enum(JUMP_ANSWERS)
        .describe('`count`: add it to the sums. `other_meter`: another meter, so nothing is added.'),
    }),
    answer: z.looseObject({ answered: EnergyJumpShape }),
    errors: ['not_found'],
  }),
  'energy.corrections': endpoint('GET', '/admin/v1/energy/corrections', {
    summary: 'Corrections that can be undone, the newest first',
    answer: z.looseObject({
      corrections: listOf('A correction.', {
        id: count('Its number.'),
        at: epochMs('When it was made.'),
        device,
        name: textOrNull('The name of the device; null where it is unknown.'),
        from: epochMs('Begin of the corrected range.'),
        to: epochMs('End of the corrected range.'),
        energy: wattHours,
        by: Name.describe('Name of the administrator.'),
      }),
    }),
  }),
  'energy.correct': endpoint('POST', '/admin/v1/energy/corrections', {
    summary: 'Take wrong energy of a device and its gangs out of all sums, or say what that would take',
    body: z.strictObject({
      device: z.string().min(1).max(60).describe('The local id of the device, also of a removed one.'),
      from: epochMs('Begin of the range, rounded down to a quarter of an hour.').min(0),
      to: epochMs('End of the range, rounded up to a quarter of an hour.').min(0),
      check: whether('Whether to say only what it would take out.').default(false),
    }),
    answer: z.looseObject({
      checked: whether('True: nothing was changed.'),
      correction: Correction,
    }),
    errors: ['not_found'],
  }),
  'energy.undoCorrection': endpoint('DELETE', '/admin/v1/energy/corrections/{id}', {
    summary: 'Put the energy of a correction back into all sums',
    params: NumberParams,
    answer: z.looseObject({ undone: Correction }),
    errors: ['not_found'],
  }),
} as const
