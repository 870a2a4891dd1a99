import { z } from 'zod'
import { EXPORT_TABLES } from '../../home/record/csv-export.ts'
import { endpoint } from '../../api/contract/endpoint.ts'
import { epochMs, Name, text, textOrNull, whether, count, named, listOf } from '../../api/contract/fields.ts'
import { FilePath } from './shapes.ts'
import { JUMP_ANSWERS } from '../../home/record/energy-corrections.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'

/** The tariff, and the history as files. */
export const records = {
  'tariff.show': endpoint('GET', '/admin/v1/tariff', {
    summary: 'The tariff',
    answer: looseObject(() => ({
      tariff: z.unknown().describe('Content of the tariff file; null if no tariff is set.'),
    })),
  }),
  'tariff.set': endpoint('PUT', '/admin/v1/tariff', {
    summary: 'Set the tariff from a file; all costs are computed again',
    body: strictObject(() => ({
      file: z
        .string()
        .max(256 * 1024)
        .describe('The content of the file, YAML.'),
    })),
    answer: looseObject(() => ({ tariffs: z.array(z.string()).describe('Names of the tariffs, oldest first.') })),
  }),
  'tariff.clear': endpoint('DELETE', '/admin/v1/tariff', {
    summary: 'Remove the tariff',
    answer: looseObject(() => ({ tariff: z.null().describe('Always null.') })),
  }),
  'history.export': endpoint('POST', '/admin/v1/history/export', {
    summary: 'Write a table of the history to a new CSV file',
    reach: 'socket',
    body: strictObject(() => ({
      table: z.enum(EXPORT_TABLES).describe('Table of the history.'),
      file: FilePath,
      from: epochMs('Start of the range.').min(0).optional(),
      to: epochMs('End of the range, exclusive.').min(0).optional(),
    })),
    answer: looseObject(() => ({
      file: FilePath,
      rows: count('Rows that were written.'),
      bytes: count('The size of the file in bytes.'),
    })),
  }),
} as const

const NumberParams = strictObject(() => ({ id: z.string().regex(/^\d{1,15}$/) }))
const device = text('The local id of the device; a gang has `UNIT:N`.')
const wattHours = z.number().describe('Watt-hours.')
const money = z.number().nullable().describe('In `currency`; null without a tariff.')

/** A jump of a counter that waits for an answer. */
export const EnergyJumpShape = named(
  'EnergyJump',
  'A counter grew by more than its device is believed to have used.',
  () => ({
    id: count('Its number.'),
    device,
    name: textOrNull('Current or last name of the device; null if unknown.'),
    from: epochMs('Time of the last value before the jump.'),
    to: epochMs('Time of the first value after it.'),
    energy: wattHours.describe('Watt-hours that "count it" would add, spread over that time.'),
  }),
)

const Correction = named('EnergyCorrection', 'Energy that is removed from all sums, or restored.', () => ({
  id: count('Its number.').nullable().describe('Its number; null in a dry run.'),
  device,
  name: textOrNull('The name of the device; null if unknown.'),
  from: epochMs('Begin of the corrected range: of a quarter of an hour, or of a day.'),
  to: epochMs('End of the corrected range.'),
  energy: wattHours,
  cost: money,
  currency: text('ISO 4217.'),
  wholeDaysBefore: epochMs(
    'Before this time only whole days are stored, so whole days were corrected; null: nowhere.',
  ).nullable(),
}))

/** Confirmation in bodies that may change the currency of the home. */
export const relabelCosts = z
  .boolean()
  .optional()
  .describe(
    'Must be true to change the currency while there is a tariff or a cost: amounts are not converted, only relabelled.',
  )

/** Devices that an import would remove from the house. */
export const Leaving = z
  .array(
    named('LeavingDevice', 'A device with energy or activity that would leave the house.', () => ({
      id: device,
      name: Name,
      energy: wattHours.describe('Watt-hours that it has used so far.'),
    })),
  )
  .optional()
  .describe(
    'With `check`: devices with a past that would be removed. Their energy and activity stay visible to integrations that expose everything, as `gone`, and become hidden from others.',
  )

/** Jumps of counters and corrections of energy. */
export const energy = {
  'energy.jumps': endpoint('GET', '/admin/v1/energy/jumps', {
    summary: 'Open jumps of counters, which are in no sum, oldest first',
    answer: looseObject(() => ({ jumps: z.array(EnergyJumpShape) })),
  }),
  'energy.answerJump': endpoint('POST', '/admin/v1/energy/jumps/{id}', {
    summary: 'Answer a jump: energy of the device, or another meter',
    params: NumberParams,
    body: strictObject(() => ({
      answer: z
        .enum(JUMP_ANSWERS)
        .describe('`count`: add it to the sums. `other_meter`: another meter, so nothing is added.'),
    })),
    answer: looseObject(() => ({ answered: EnergyJumpShape })),
    errors: ['not_found'],
  }),
  'energy.corrections': endpoint('GET', '/admin/v1/energy/corrections', {
    summary: 'Corrections that can be undone, newest first',
    answer: looseObject(() => ({
      corrections: listOf('A correction.', () => ({
        id: count('Its number.'),
        at: epochMs('Time of the correction.'),
        device,
        name: textOrNull('The name of the device; null if unknown.'),
        from: epochMs('Begin of the corrected range.'),
        to: epochMs('End of the corrected range.'),
        energy: wattHours,
        by: Name.describe('Name of the administrator.'),
      })),
    })),
  }),
  'energy.correct': endpoint('POST', '/admin/v1/energy/corrections', {
    summary: 'Remove wrong energy of a device and its gangs from all sums, or preview that',
    body: strictObject(() => ({
      device: z.string().min(1).max(60).describe('The local id of the device, also of a removed one.'),
      from: epochMs('Begin of the range, rounded down to a quarter of an hour.').min(0),
      to: epochMs('End of the range, rounded up to a quarter of an hour.').min(0),
      check: whether('True for a preview.').default(false),
    })),
    answer: looseObject(() => ({
      checked: whether('True: nothing was changed.'),
      correction: Correction,
    })),
    errors: ['not_found'],
  }),
  'energy.undoCorrection': endpoint('DELETE', '/admin/v1/energy/corrections/{id}', {
    summary: 'Put the energy of a correction back into all sums',
    params: NumberParams,
    answer: looseObject(() => ({ undone: Correction })),
    errors: ['not_found'],
  }),
} as const
