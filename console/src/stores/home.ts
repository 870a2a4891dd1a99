import { effect, type Signal, signal } from '@preact/signals'
import {
  HmError,
  type Home,
  type HomeChange,
  type HomeDevice,
  type SceneEntry,
  type State,
} from '@hm-gateway/client/src/browser.ts'
import { words } from '../words/frame.ts'
import { house } from './house.ts'
import { dismiss } from './notices.ts'
import { proofWanted } from './proof.ts'
import { took } from './pushed.ts'
import { forgetReadings, forgetStates, sawState, tookReading, tookReadings } from './readings.ts'
import { restoredNote } from './restored.ts'
import { forget, leave, owner, reasonOfEnd, signedIn } from './session.ts'

export { house }
export const connected = signal(false)
/** Grows with each change of scenes, automations, schedules or the house: who shows such a list reads it again then. */
export const revision = signal(0)
/** The scenes, and whether they run. */
export const scenes = signal<readonly SceneEntry[]>([])
/** Why nobody is signed in here, where that needs saying; null where it does not. */
export const endedBecause = signal<string | null>(null)

const devices = new Map<string, Signal<HomeDevice | null>>()
let home: Home | null = null
let following = new AbortController()
/** Somebody signs out here and knows why the session ends. */
let isLeaving = false

/** A device as it is now; null where it is gone. */
export function deviceOf(id: string): Signal<HomeDevice | null> {
  const known = devices.get(id)
  if (known) return known
  const made = signal(home?.devices.get(id) ?? null)
  devices.set(id, made)
  return made
}

/** Follows the home, and what administrators are told, over one socket until the session ends; nothing else goes on. */
export async function follow(): Promise<void> {
  following.abort()
  following = new AbortController()
  const { signal: over } = following
  endedBecause.value = null
  try {
    const opened = await owner.home({ signal: over, also: ['access', 'activity', 'status'], heard: took })
    if (over.aborted) return
    home = opened
    opened.onChange((change) => {
      if (home === opened) take(opened, change)
    })
    takeAll(opened)
    signedIn.value = true
  } catch (error) {
    if (over.aborted) return
    ended(error)
    if (isUnknown(error)) forget()
  }
}

/** Ends the session; nothing follows the home any more when it goes. */
export async function signOut(): Promise<void> {
  close()
  isLeaving = true
  try {
    await leave()
  } catch (error) {
    // Nobody here can end it any more, and whoever left has to know.
    if (!isUnknown(error)) endedBecause.value = words.notSignedOut
  } finally {
    isLeaving = false
  }
}

/** Nobody is signed in here any more; `because` says why where the session itself is not over. */
export function ended(because: unknown = null): void {
  if (because instanceof Error && !isUnknown(because)) endedBecause.value = because.message
  signedIn.value = false
}

/** Whether the gateway does not know the session. */
const isUnknown = (error: unknown): boolean => error instanceof HmError && error.status === 401

// Whatever ended the session, also the answer to any request, nothing of it is left for who signs in next.
effect(() => {
  if (signedIn.value !== false) return
  close()
  connected.value = false
  house.value = null
  scenes.value = []
  devices.clear()
  forgetReadings()
  forgetStates()
  proofWanted.peek()?.giveUp()
  dismiss()
  if (!isLeaving) void explainEnd()
})

/** Says on the sign-in page why the session ended, unless something else said so or somebody signed in meanwhile. */
async function explainEnd(): Promise<void> {
  const reason = await reasonOfEnd()
  if (signedIn.peek() === false && restoredNote.peek() === null) endedBecause.value ??= reason
}

function close(): void {
  home?.close()
  home = null
}

/** Takes a state that a unit confirmed in the answer to a change; the stream tells only what became different. */
export function confirmed(id: string, state: State): void {
  const device = deviceOf(id)
  if (device.value && state.asOf >= (device.value.state?.asOf ?? 0)) device.value = { ...device.value, state }
}

function take(opened: Home, change: HomeChange): void {
  switch (change.what) {
    case 'ended':
      return ended(opened.error)
    case 'home':
      return takeAll(opened)
    case 'device':
      deviceOf(change.id).value = saw(opened.devices.get(change.id) ?? null)
      return
    case 'sensor':
      return tookReading(change.id)
    case 'scene':
      scenes.value = [...opened.scenes.values()]
      return
    case 'connection':
      connected.value = opened.connected
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
  for (const device of opened.devices.values()) saw(device)
  for (const [id, device] of devices) device.value = opened.devices.get(id) ?? null
}

function saw(device: HomeDevice | null): HomeDevice | null {
  if (device !== null) sawState(device)
  return device
}
