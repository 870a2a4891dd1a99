import { effect, type Signal, signal } from '@preact/signals'
import {
  HmError,
  type Home,
  type HomeChange,
  type HomeDevice,
  type SceneEntry,
  type State,
} from '@hm-gateway/client/src/browser.ts'
import { words } from '../words/page-frame.ts'
import { handleAdminEvent } from './admin-topics.ts'
import { forgetStates, trackState } from './confirmed-states.ts'
import { house } from './house.ts'
import { awaitSession, isAdministrator, isMember, readSession, seesMode, seesPeople } from './own-session.ts'
import { dismissNotice } from './page-notices.ts'
import { proofRequest } from './proof.ts'
import { forgetReadings, setReadings, updateReading } from './readings.ts'
import { restoreNote } from './restore-note.ts'
import { deleteSession, forgetSession, owner, readEndReason, signedIn } from './session.ts'

export { house }
/** True while the live stream is open. */
export const connected = signal(false)
/** Grows with each change of the house, scenes, automations or schedules; lists of them reload then. */
export const revision = signal(0)
/** Grows with each change of a device, a reading or a scene. */
export const homeChanges = signal(0)
/** All scenes, with their running state. */
export const scenes = signal<readonly SceneEntry[]>([])
/** Message of the sign-in page about the ended session; null if there is nothing to say. */
export const signOutReason = signal<string | null>(null)

/** Refusal of a member whose record is disabled or outside its hours; null otherwise. */
export const noAccess = signal<HmError | null>(null)

const devices = new Map<string, Signal<HomeDevice | null>>()
let home: Home | null = null
let followAbort = new AbortController()
/** True during a sign-out on this page, which needs no explanation. */
let isSigningOut = false

/** The current device; null if it is not in the home. */
export function deviceOf(id: string): Signal<HomeDevice | null> {
  const existing = devices.get(id)
  if (existing) return existing
  const created = signal(home?.devices.get(id) ?? null)
  devices.set(id, created)
  return created
}

/** Subscribes to the home and the administrators' topics over one socket, until the session ends. */
export async function followHome(): Promise<void> {
  followAbort.abort()
  followAbort = new AbortController()
  const { signal: abort } = followAbort
  signOutReason.value = null
  try {
    await awaitSession(abort)
    await awaitAccess(abort)
    if (abort.aborted) return
    const opened = await owner.home({ signal: abort, also: furtherTopics(), heard: handleAdminEvent })
    if (abort.aborted) return
    home = opened
    opened.onChange((change) => {
      if (home === opened) applyChange(opened, change)
    })
    applyHome(opened)
    signedIn.value = true
  } catch (error) {
    if (abort.aborted) return
    endSession(error)
    if (isUnauthorized(error)) forgetSession()
  }
}

/** Longest pause before a member without access tries again. */
const TRY_MS_MAX = 60_000

/** Waits until the record of a member is enabled and within its hours. Other failures are no business of this wait. */
async function awaitAccess(abort: AbortSignal): Promise<void> {
  while (!isAdministrator.peek() && !abort.aborted) {
    const error = await owner.call('get', '/v1/integration').catch((failure: unknown) => failure)
    noAccess.value = error instanceof HmError && error.code === 'record_disabled' ? error : null
    if (noAccess.value === null) return
    const waitMs = Math.min((noAccess.value.retryAfter ?? Infinity) * 1000, TRY_MS_MAX)
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

/** Topics beside the home's devices. One unknown or hidden topic would refuse all. */
const furtherTopics = (): readonly string[] => [
  'messages',
  ...(isAdministrator.peek() ? ['access', 'activity', 'status'] : isMember.peek() ? ['access'] : []),
  ...(seesMode.peek() ? ['mode'] : []),
  ...(seesPeople.peek() ? ['presence'] : []),
]

/** Signs out. The subscription closes first. */
export async function signOut(): Promise<void> {
  closeHome()
  isSigningOut = true
  try {
    await deleteSession()
  } catch (error) {
    // The session may still be valid, and this page can no longer end it.
    if (!isUnauthorized(error)) signOutReason.value = words.notSignedOut
  } finally {
    isSigningOut = false
  }
}

/** Shows the sign-in page. Errors other than 401 become its message. */
export function endSession(error: unknown = null): void {
  if (error instanceof Error && !isUnauthorized(error)) signOutReason.value = error.message
  signedIn.value = false
}

/**
 * A change of a member's record ends the stream, but not the session: the page loads again, because it holds things
 * that may be hidden now.
 */
async function endOrReload(error: Error | null): Promise<void> {
  if (isAdministrator.peek() || error === null || !(await holdsSession())) return endSession(error)
  connected.value = false
  setTimeout(() => location.reload(), Math.max(0, RELOAD_MS - performance.now()))
}

/** Shortest time between two reloads. */
const RELOAD_MS = 3_000

const holdsSession = (): Promise<boolean> =>
  readSession().then(
    () => signedIn.peek() === true,
    () => false,
  )

/** True if the gateway does not know the session. */
const isUnauthorized = (error: unknown): boolean => error instanceof HmError && error.status === 401

// Any request may end the session. The next person must find no data of the last one.
effect(() => {
  if (signedIn.value !== false) return
  followAbort.abort()
  closeHome()
  noAccess.value = null
  connected.value = false
  house.value = null
  scenes.value = []
  devices.clear()
  forgetReadings()
  forgetStates()
  proofRequest.peek()?.cancel()
  dismissNotice()
  if (!isSigningOut) void explainEnd()
})

/** Shows why the session ended, unless the page has another message or a new session. */
async function explainEnd(): Promise<void> {
  const reason = await readEndReason()
  if (signedIn.peek() === false && restoreNote.peek() === null) signOutReason.value ??= reason
}

function closeHome(): void {
  home?.close()
  home = null
}

/** Applies a state from the answer to a command; the stream sends only changed states. */
export function applyState(id: string, state: State): void {
  const device = deviceOf(id)
  if (device.value && state.asOf >= (device.value.state?.asOf ?? 0)) device.value = { ...device.value, state }
}

function applyChange(opened: Home, change: HomeChange): void {
  switch (change.what) {
    case 'ended':
      return void endOrReload(opened.error)
    case 'home':
      return applyHome(opened)
    case 'device':
      homeChanges.value += 1
      deviceOf(change.id).value = withTrackedState(opened.devices.get(change.id) ?? null)
      return
    case 'sensor':
      homeChanges.value += 1
      return updateReading(change.id)
    case 'scene':
      homeChanges.value += 1
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

function applyHome(opened: Home): void {
  house.value = opened.house
  connected.value = opened.connected
  revision.value += 1
  scenes.value = [...opened.scenes.values()]
  setReadings(opened.sensors)
  for (const device of opened.devices.values()) withTrackedState(device)
  for (const [id, device] of devices) device.value = opened.devices.get(id) ?? null
}

function withTrackedState(device: HomeDevice | null): HomeDevice | null {
  if (device !== null) trackState(device)
  return device
}
