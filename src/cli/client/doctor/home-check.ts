import { EXIT_CODES } from '../home/failure.ts'
import type { Settings } from '@hm-gateway/client/src/contract.ts'
import type { Client } from '@hm-gateway/client/src/client.ts'
import type { HmError } from '@hm-gateway/client/src/error.ts'
import { type Thing, thingsOf, fullName, theOne } from '../home/name-match.ts'

/** The links of the chain from this machine to a unit, in its order. */
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

/** What was found of one link. */
export interface Finding {
  readonly link: Link
  /** `note`: it is as it is said, and the home answers all the same. */
  readonly state: 'well' | 'note' | 'broken'
  /** One sentence. */
  readonly what: string
  /** What to do; null where nothing needs to be done. */
  readonly todo: string | null
}

/** A finding that something is broken, and what `hm doctor` ends with where it is the first. */
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

/** What each knob allows; those that concern no command of `hm` are not told. */
const ALLOWS: Partial<Record<keyof Settings, string>> = {
  allow_unlock: 'opening locks and gates',
  automations: 'seeing automations',
  schedules: 'seeing schedules',
  advanced_config: 'reading unit settings',
}
const NAMES_MAX = 5

type Integration = Awaited<ReturnType<Client['integration']>>['integration']

/** What a home that answers says of this login: whether it comes in, what it sees and may do, and how the units are. */
export async function checkHome(client: Client, typed: string | undefined): Promise<readonly (Finding | Broken)[]> {
  const { house, integration } = await client.integration()
  const { id, name, credential, settings } = integration
  const things = thingsOf(await client.house())
  const off = knobsOff(settings)
  return [
    well('access', `${house} takes this login as ${credential.label || name}.`),
    exposureOf(things, integration),
    ...(off.length === 0
      ? []
      : [
          note(
            'knobs',
            `Off for "${name}": ${off.map((knob) => `${knob} (${ALLOWS[knob] ?? ''})`).join(', ')}.`,
            `An administrator allows it: bin/hm integration set ${id} ${off.map((knob) => `${knob}=${knob === 'advanced_config' ? 'read' : 'on'}`).join(' ')}`,
          ),
        ]),
    ...(await checkUnits(client, things)),
    ...(typed === undefined ? [] : [deviceOf(typed, things, integration)]),
  ]
}

/** What switches a login on again that is refused with a code. */
const MENDED: Readonly<Record<string, (integration: string) => string>> = {
  record_disabled: (id) => `bin/hm integration enable ${id}`,
  agent_access_disabled: (id) => `bin/hm integration set ${id} agent_access=on`,
  cloud_access_disabled: (id) => `bin/hm integration set ${id} cloud_access=on`,
}

/** What a refusal of the service says about the link that is broken. */
export function refused({ status, code, message }: HmError, integration: string): Broken {
  if (status === 401)
    return fault(
      'access',
      `The gateway does not take this login any more: ${message}`,
      'Its key was revoked or has expired: ask for a new connection code, then hm login.',
      EXIT_CODES.login,
    )
  const mended = MENDED[code]
  const todo = mended === undefined ? null : `An administrator switches it on again: ${mended(integration)}`
  return fault('access', message, todo, EXIT_CODES.refused)
}

function exposureOf(things: readonly Thing[], { id, name }: Integration): Finding | Broken {
  if (things.length > 0) return well('exposure', `It sees ${things.length} devices.`)
  return fault(
    'exposure',
    `"${name}" sees no device: nothing is exposed to it.`,
    `An administrator exposes what it is to see: bin/hm integration expose ${id} WHAT`,
    EXIT_CODES.refused,
  )
}

const knobsOff = (settings: Settings): (keyof Settings)[] =>
  (Object.keys(ALLOWS) as (keyof Settings)[]).filter((knob) => settings[knob] === 'off')

/** Whether the adapter carries frames, as the home's record has it, and which units do not answer. */
async function checkUnits(client: Client, things: readonly Thing[]): Promise<readonly (Finding | Broken)[]> {
  const { entries } = await client.activity({ kind: 'link', from: 0, limit: 1 })
  const [last] = entries
  if (last !== undefined && (last.data?.down ?? null) !== null)
    return [
      fault(
        'adapter',
        `The gateway reaches no unit: ${last.what}.`,
        'Plug the adapter in again, or look at its line: bin/hm status at the gateway.',
        EXIT_CODES.unit,
      ),
    ]
  const silent = things.filter(({ reachable, kind }) => !reachable && kind !== 'gang')
  if (silent.length === 0) return things.length === 0 ? [] : [well('units', 'Every unit answers.')]
  const names = silent.slice(0, NAMES_MAX).map(fullName).join(', ')
  const more = silent.length > NAMES_MAX ? ` and ${silent.length - NAMES_MAX} more` : ''
  return [note('units', `No answer from ${names}${more}.`, 'Look whether they have power.')]
}

/** What stands between this login and one device. */
function deviceOf(typed: string, things: readonly Thing[], { id, settings }: Integration): Finding | Broken {
  const thing = theOne(typed, things, 'device')
  const name = fullName(thing)
  if (!thing.reachable) return fault('units', `${name} does not answer.`, 'Look whether it has power.', EXIT_CODES.unit)
  if (['lock', 'gate'].includes(thing.class) && settings.allow_unlock === 'off')
    return note(
      'knobs',
      `${name} can be closed, not opened: allow_unlock is off.`,
      `An administrator allows it: bin/hm integration set ${id} allow_unlock=on`,
    )
  return well('units', `${name} answers.`)
}
