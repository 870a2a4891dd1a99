import { z } from 'zod'
import { PIN } from '../../auth/persons/tablet-pins.ts'
import { endpoint } from '../../api/contract/endpoint.ts'
import { epochMs, shape, whether } from '../../api/contract/fields.ts'
import { SomeSettings } from '../../api/contract/knobs.ts'
import { PlainName } from '../../api/contract/shapes.ts'
import { looseObject, strictObject } from '../../lib/late-object.ts'
import { Expose, Hours, OneIntegration, People, Until } from './integrations.ts'

export const Pin = z.string().regex(PIN, 'has to be six digits').describe('Six digits. A secret.')

const link = {
  links: z.array(z.string()).describe('The same link at each address of the gateway. Secrets.'),
  expiresAt: epochMs('Time of expiry; the link works once.'),
}

/** Wall tablets: records without a person, whose session lasts a year in the home network. */
export const tablets = {
  'tablets.list': endpoint('GET', '/admin/v1/tablets', {
    summary: 'Wall tablets, with their PIN and their last use',
    answer: looseObject(() => ({
      tablets: z.array(
        shape('A wall tablet beside its record.', () => ({
          id: z.string().describe('Id of its record.'),
          pin: whether('True if it has a PIN.'),
          usedAt: epochMs('Last use of its session; null before its link was opened.').nullable(),
        })),
      ),
    })),
  }),
  'tablets.create': endpoint('POST', '/admin/v1/tablets', {
    summary: 'Create a wall tablet with a one-time link; it opens locks and gates only after its PIN',
    status: 201,
    stepUp: true,
    body: strictObject(() => ({
      name: PlainName,
      expose: Expose.optional(),
      settings: SomeSettings.describe('Knobs that differ from their defaults.').optional(),
      people: People.optional(),
      until: Until.optional(),
      hours: Hours.optional(),
      pin: Pin.optional(),
    })),
    answer: looseObject(() => ({ ...OneIntegration.shape, ...link })),
    errors: ['overloaded', 'unauthorized'],
  }),
  'tablets.link': endpoint('POST', '/admin/v1/tablets/{id}/link', {
    summary: 'Another one-time link of a wall tablet; its use ends the earlier session',
    status: 201,
    stepUp: true,
    answer: looseObject(() => link),
    errors: ['not_found'],
  }),
  'tablets.pin': endpoint('PUT', '/admin/v1/tablets/{id}/pin', {
    summary: 'Set the PIN of a wall tablet, or remove it (null); it opens nothing then',
    stepUp: true,
    body: strictObject(() => ({ pin: Pin.nullable() })),
    answer: looseObject(() => ({ pin: whether('True if it has a PIN.') })),
    errors: ['not_found', 'overloaded', 'unauthorized'],
  }),
} as const
