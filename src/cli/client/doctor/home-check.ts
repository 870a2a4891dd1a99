import { EXIT_CODES } from '../home/failure.ts'
import type { Settings } from '@hm-gateway/client/src/contract.ts'
import type { Client } from '@hm-gateway/client/src/client.ts'
import type { HmError } from '@hm-gateway/client/src/error.ts'
import { type Thing, thingsOf, fullName, theOne } from '../home/name-match.ts'

/** Links of the chain from this machine to a unit, in order. */
export type Link =
  | 'login'
  | 'name'
  | 'address'
  | 'ca'
  | 'clock'
  | 'relay'
  | 'access'
  | 'exposure'
  | 'knobs'
  | 'adapter'
  | 'units'

/** Result for one link. */
export interface Finding {
  readonly link: Link
  /** `note`: a limitation that does not stop the home from answering. */
  readonly state: 'well' | 'note' | 'broken'
  /** One sentence. */
  readonly what: string
  /** Remedy; null if nothing needs to be done. */
  readonly todo: string | null
}

/** A broken link with the exit code of `hm doctor` if it is the first. */
export interface Broken extends Finding {
  readonly exitCode: (typeof EXIT_CODES)[keyof typeof EXIT_CODES]
}

export const fault = (link: Link, what: string, todo: string | null, exitCode: Broken['exitCode']): Broken => ({
  link,
  state: 'broken',
  what,
  todo,
  exitCode,
})
export const unreached = (link: Link, what: string, todo: string): Broken =>
  fault(link, what, todo, EXIT_CODES.unreached)
export const well = (link: Link, what: string): Finding => ({ link, state: 'well', what, todo: null })
export const note = (link: Link, what: string, todo: string | null = null): Finding => ({
  link,
  state: 'note',
  what,
  todo,
})

/** Permission of each knob; knobs without effect on `hm` are left out. */
const ALLOWS: Partial<Record<keyof Settings, string>> = {
  allow_unlock: 'opening locks and gates',
  automations: 'seeing automations',
  schedules: 'seeing schedules',
  advanced_config: 'reading unit settings',
}
const NAMES_MAX = 5

type Integration = Awaited<ReturnType<Client['integration']>>['integration']

/** Checks of a reachable home: access, exposure and permissions of the login, and the units. */
export async function checkHome(client: Client, typed: string | undefined): Promise<readonly (Finding | Broken)[]> {
  const { house, integration } = await client.integration()
  const { id, name, credential, settings } = integration
  const things = thingsOf(await client.house())
  const off = knobsOff(settings)
  return [
    well('access', `${house} accepts this login as ${credential.label || name}.`),
    exposureOf(things, integration),
    ...(off.length === 0
      ? []
      : [
          note(
            'knobs',
            `Off for "${name}": ${off.map((knob) => `${knob} (${ALLOWS[knob] ?? ''})`).join(', ')}.`,
            `An administrator can allow it: bin/hm integration set ${id} ${off.map((knob) => `${knob}=${knob === 'advanced_config' ? 'read' : 'on'}`).join(' ')}`,
          ),
        ]),
    ...(await checkUnits(client, things)),
    ...(typed === undefined ? [] : [deviceOf(typed, things, integration)]),
  ]
}

/** Commands that enable a refused login again, by error code. */
const REPAIR_COMMANDS: Readonly<Record<string, (integration: string) => string>> = {
  record_disabled: (id) => `bin/hm integration enable ${id}`,
  agent_access_disabled: (id) => `bin/hm integration set ${id} agent_access=on`,
  cloud_access_disabled: (id) => `bin/hm integration set ${id} cloud_access=on`,
}

/** Broken link for a refusal of the service. */
export function refused({ status, code, message }: HmError, integration: string): Broken {
  if (status === 401)
    return fault(
      'access',
      `The gateway no longer accepts this login: ${message}`,
      'Its key was revoked or has expired: ask for a new connection code, then hm login.',
      EXIT_CODES.login,
    )
  const command = REPAIR_COMMANDS[code]
  const todo = command === undefined ? null : `An administrator can enable it again: ${command(integration)}`
  return fault('access', message, todo, EXIT_CODES.refused)
}

function exposureOf(things: readonly Thing[], { id, name }: Integration): Finding | Broken {
  if (things.length > 0) return well('exposure', `It sees ${things.length} devices.`)
  return fault(
    'exposure',
    `"${name}" sees no devices: nothing is exposed to it.`,
    `An administrator can expose devices: bin/hm integration expose ${id} WHAT`,
    EXIT_CODES.refused,
  )
}

const knobsOff = (settings: Settings): (keyof Settings)[] =>
  (Object.keys(ALLOWS) as (keyof Settings)[]).filter((knob) => settings[knob] === 'off')

/** Checks the adapter by the activity of the home, and finds units that do not respond. */
async function checkUnits(client: Client, things: readonly Thing[]): Promise<readonly (Finding | Broken)[]> {
  const { entries } = await client.activity({ kind: 'link', from: 0, limit: 1 })
  const [last] = entries
  if (last !== undefined && (last.data?.down ?? null) !== null)
    return [
      fault(
        'adapter',
        `The gateway cannot reach the units: ${last.what}.`,
        'Plug the adapter in again, or check its line: bin/hm status at the gateway.',
        EXIT_CODES.unit,
      ),
    ]
  const silent = things.filter(({ reachable, kind }) => !reachable && kind !== 'gang')
  if (silent.length === 0) return things.length === 0 ? [] : [well('units', 'Every unit answers.')]
  const names = silent.slice(0, NAMES_MAX).map(fullName).join(', ')
  const more = silent.length > NAMES_MAX ? ` and ${silent.length - NAMES_MAX} more` : ''
  return [note('units', `No answer from ${names}${more}.`, 'Check that they have power.')]
}

/** Checks one device for this login. */
function deviceOf(typed: string, things: readonly Thing[], { id, settings }: Integration): Finding | Broken {
  const thing = theOne(typed, things, 'device')
  const name = fullName(thing)
  if (!thing.reachable) return fault('units', `${name} does not answer.`, 'Check that it has power.', EXIT_CODES.unit)
  if (['lock', 'gate'].includes(thing.class) && settings.allow_unlock === 'off')
    return note(
      'knobs',
      `${name} can be closed but not opened: allow_unlock is off.`,
      `An administrator can allow it: bin/hm integration set ${id} allow_unlock=on`,
    )
  return well('units', `${name} answers.`)
}
