import type { Endpoint } from './endpoint.ts'
import { calendars } from './calendars.ts'
import { control } from './control.ts'
import { devices } from './devices.ts'
import { dryRuns } from './dry-runs.ts'
import { groups } from './groups.ts'
import { home } from './home.ts'
import { mode } from './mode.ts'
import { intents } from './intents.ts'
import { messages } from './messages.ts'
import { people } from './people.ts'
import { pairing } from './pairing.ts'
import { records } from './records.ts'
import { rules } from './rules.ts'
import { runs } from './runs.ts'
import { scenes } from './scenes.ts'
import { starters } from './starters.ts'

/** The version of the interface (Spec 9). */
export const API_VERSION = '1.1.0'

/** Every endpoint of the service, by name. */
export const contract = {
  ...home,
  ...mode,
  ...people,
  ...calendars,
  ...devices,
  ...control,
  ...intents,
  ...scenes,
  ...groups,
  ...rules,
  ...dryRuns,
  ...starters,
  ...runs,
  ...records,
  ...messages,
  ...pairing,
} as const satisfies Record<string, Endpoint & { readonly spec: string }>

export type Contract = typeof contract
export type EndpointName = keyof Contract
