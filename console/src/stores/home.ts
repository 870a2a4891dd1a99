import { type Signal, signal } from '@preact/signals'
import {
  type Home,
  type HomeChange,
  HmError,
  type HomeDevice,
  type SceneEntry,
  type State,
} from '../../../client/src/browser.ts'
import { took } from './pushed.ts'
import { forgetReadings, tookReading, tookReadings } from './readings.ts'
import { forget, leave, owner, signedIn } from './session.ts'

type House = NonNullable<Home['house']>

export const house = signal<House | null>(null)
export const connected = signal(false)
/** Grows with each change of scenes, automations, schedules or the house: who shows such a list reads it again then. */
export const revision = signal(0)
/** The scenes, and whether they run. */
export const scenes = signal<readonly SceneEntry[]>([])

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
      take(opened, change)
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
  scenes.value = []
  devices.clear()
  forgetReadings()
  signedIn.value = false
}

/** Takes a state that a unit confirmed in the answer to a change; the stream tells only what became different. */
export function confirmed(id: string, state: State): void {
  const device = deviceOf(id)
  if (device.value && state.asOf >= (device.value.state?.asOf ?? 0)) device.value = { ...device.value, state }
}

function take(opened: Home, change: HomeChange): void {
  switch (change.what) {
    case 'ended':
      return ended()
    case 'home':
      return takeAll(opened)
    case 'device':
      deviceOf(change.id).value = opened.devices.get(change.id) ?? null
      return
    case 'sensor':
      return tookReading(change.id)
    case 'scene':
      scenes.value = [...opened.scenes.values()]
      return
    case 'connection':
      return
    case 'automations':
    case 'schedules':
    case 'integration':
      revision.value += 1
  }
}

function takeAll(opened: Home): void {
  house.value = opened.house
  connected.value = opened.connected
  revision.value += 1
  scenes.value = [...opened.scenes.values()]
  tookReadings(opened.sensors)
  for (const [id, device] of devices) device.value = opened.devices.get(id) ?? null
}
