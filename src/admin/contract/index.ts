import type { Endpoint } from '../../api/contract/endpoint.ts'
import { activity } from './activity.ts'
import { agents } from './agents.ts'
import { backups, brought } from './backups.ts'
import { devices } from './devices.ts'
import { energy, records } from './records.ts'
import { gateway, log, metrics, release } from './gateway.ts'
import { consoleEndpoints } from './console.ts'
import { house } from './house.ts'
import { integrations, keys, operators } from './integrations.ts'
import { messages } from './messages.ts'
import { calendars } from './calendars.ts'
import { modes } from './modes.ts'
import { passkeyEndpoints } from './passkeys.ts'
import { presence } from './presence.ts'
import { push } from './push.ts'
import { relay } from './relay.ts'
import { replace } from './replace.ts'
import { rules } from './rules.ts'
import { tablets } from './tablets.ts'
import { webhooks } from './webhooks.ts'

/**
 * The administrators' API, `/admin/v1`, declared like the public one. It is served over the socket file in the data
 * folder, whose users are administrators, and to persons signed in at the console.
 */
export const adminContract = {
  ...integrations,
  ...keys,
  ...agents,
  ...house,
  ...modes,
  ...calendars,
  ...devices,
  ...replace,
  ...rules,
  ...records,
  ...energy,
  ...activity,
  ...messages,
  ...webhooks,
  ...push,
  ...gateway,
  ...backups,
  ...brought,
  ...relay,
  ...consoleEndpoints,
  ...presence,
  ...passkeyEndpoints,
  ...tablets,
  ...operators,
  ...metrics,
  ...log,
  ...release,
} as const satisfies Record<string, Endpoint>
export type AdminContract = typeof adminContract
