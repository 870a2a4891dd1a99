import type { Endpoint } from '../../endpoint.ts'
import { agents } from './agents.ts'
import { gateway } from './gateway.ts'
import { house } from './house.ts'
import { integrations, keys } from './integrations.ts'
import { records } from './records.ts'
import { rules } from './rules.ts'

/**
 * The administrators' API, `/admin/v1`, reached through the socket file in the data folder: whoever may open that file
 * is an administrator. Declared like the public one.
 */
export const adminContract = {
  ...integrations,
  ...keys,
  ...agents,
  ...house,
  ...rules,
  ...records,
  ...gateway,
} as const satisfies Record<string, Endpoint>
export type AdminContract = typeof adminContract
