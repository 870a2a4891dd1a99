import { type Signal, signal } from '@preact/signals'
import { type Home, HmError, type HomeDevice } from '../../../client/src/browser.ts'
import { took } from './pushed.ts'
import { forget, leave, owner, signedIn } from './session.ts'

type House = NonNullable<Home['house']>

export const house = signal<House | null>(null)
export const connected = signal(false)
/** Grows with each change of scenes, automations, schedules or the house: who shows such a list reads it again then. */
export const revision = signal(0)
/** Devices whose change was sent and is not confirmed yet, and what the gateway said against one. */
export const asked = signal<ReadonlySet<string>>(new Set())
export const refusals = signal<ReadonlyMap<string, string>>(new Map())

const devices = new Map<string, Signal<HomeDevice | null>>()
let home: Home | null = null
let stopListening = (): void => {}

/** A device as it is now; null where it is gone. */
export function deviceOf(id: string): Signal<HomeDevice | null> {
  const known = devices.get(id)
  if (known) return known
  const made = signal(home?.devices.get(id) ?? null)
  devices.set(id, made)
  return made
}

/** Follows the home, and what administrators are told, over one socket until the session ends. */
export async function follow(): Promise<void> {
  try {
    const opened = await owner.home({ also: ['access', 'activity', 'status'], heard: took })
    home = opened
    stopListening = opened.onChange((change) => {
      if (change.what === 'ended') ended()
      else if (change.what === 'device') deviceOf(change.id).value = opened.devices.get(change.id) ?? null
      else if (change.what === 'home') takeAll(opened)
      else if (change.what !== 'connection') revision.value += 1
      connected.value = opened.connected
    })
    takeAll(opened)
    signedIn.value = true
  } catch (error) {
    if (error instanceof HmError && error.status === 401) forget()
    ended()
  }
}

/** Ends the session; nothing follows the home any more when it goes. */
export async function signOut(): Promise<void> {
  stopListening()
  home?.close()
  try {
    await leave()
  } finally {
    ended()
  }
}

/** Nobody is signed in here any more. */
export function ended(): void {
  home?.close()
  home = null
  house.value = null
  devices.clear()
  signedIn.value = false
}

/** What a control takes: `{ op: 'set_power', args: { on: true } }`. */
export type Control = Parameters<typeof sendControl>[1]

/** Controls a device. Its state moves when the unit's confirmation comes back over the stream. */
export async function control(id: string, body: Control): Promise<void> {
  asked.value = new Set([...asked.value, id])
  refusals.value = new Map([...refusals.value].filter(([other]) => other !== id))
  try {
    await sendControl(id, body)
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    refusals.value = new Map([...refusals.value, [id, said]])
  } finally {
    asked.value = new Set([...asked.value].filter((other) => other !== id))
  }
}

const sendControl = (
  id: string,
  body: Parameters<typeof owner.call<'post', '/v1/devices/{id}/control'>>[2]['body'],
): Promise<unknown> => owner.call('post', '/v1/devices/{id}/control', { path: { id }, body })

function takeAll(opened: Home): void {
  house.value = opened.house
  connected.value = opened.connected
  revision.value += 1
  for (const [id, device] of devices) device.value = opened.devices.get(id) ?? null
}
