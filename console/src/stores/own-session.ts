import { computed, effect, signal } from '@preact/signals'
import { HmError } from '@hm-gateway/client/src/browser.ts'
import type { ConsoleSession, SessionShowAnswer } from '../lib/admin-contract.ts'
import { admin, signedIn } from './session.ts'

type Role = SessionShowAnswer['role']

/** The session of this browser; null before the first answer. `person` is null until it has an account. */
export const session = signal<ConsoleSession | null>(null)

const role = signal<Role | null>(null)
/** Only administrators may use the administrators' API beyond their own account. */
export const isAdministrator = computed(() => role.value === 'administrator')

/** Members decide about agents of their own record. */
export const isMember = computed(() => role.value === 'member')

/** True on a wall tablet, which has neither an account nor pages beside Home and Messages. */
export const isTablet = computed(() => role.value === 'tablet')

/** The record that limits this session; null for administrators. */
export const record = signal<SessionShowAnswer['record']>(null)
export const seesMode = computed(() => record.value?.mode ?? true)
export const mayOpenDoors = computed(() => record.value?.settings.allow_unlock !== 'off')
export const mayHaveAgents = computed(() => isMember.value && record.value?.settings.agent_access === 'on')
export const seesPeople = computed(() => record.value?.people !== 'none')

/**
 * True if the home has no administrator by name, as far as this session may know. Only then does the console offer a
 * session by link to restore another home.
 */
export const hasNoAdministrator = signal(false)

/** True if the person has a password. */
export const hasPassword = signal(false)

/** True if a new browser needs a code beside the person's password. */
export const twoFactors = signal(false)

/** False if this person has neither a password nor a passkey; true before the first answer. */
export const canSignInAgain = signal(true)

/** True after the first request for the session; pages wait for it, because its banners stand above them. */
export const isSessionRead = signal(false)

/** Name of the signed-in person as in the activity log; null before the first answer. */
export const personName = computed(() => session.value?.name ?? null)

/** Reads the session, its role and its record; a late answer of an ended session changes nothing. @throws HmError */
export async function readSession(isStarting = false): Promise<void> {
  const answer = await admin.call('get', '/admin/v1/session')
  const { session: own, role: ownRole, comesBack, proofs } = answer
  const isNameless = ownRole === 'administrator' && own?.person === null
  const isFirst = isNameless && (await admin.call('get', '/admin/v1/persons')).persons.length === 0
  if (!isStarting && signedIn.peek() === false) return
  role.value = ownRole
  record.value = answer.record
  session.value = own
  canSignInAgain.value = comesBack
  hasPassword.value = proofs.password
  twoFactors.value = answer.twoFactors
  hasNoAdministrator.value = isFirst
  isSessionRead.value = true
}

/** Pause before a gateway that did not answer is asked again. */
const AGAIN_MS = 2_000

/** Reads the session as soon as the gateway answers. @throws HmError if retries are pointless */
export async function awaitSession(abort: AbortSignal): Promise<void> {
  while (!abort.aborted) {
    try {
      return await readSession(true)
    } catch (error) {
      if (error instanceof HmError && error.status < 500 && error.status !== 429) throw error
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
}

/** Sets whether this is the person's own device, which lengthens the session. @throws HmError */
export async function setOwnDevice(ownDevice: boolean): Promise<void> {
  const { session: own } = await admin.call('patch', '/admin/v1/session', { body: { ownDevice } })
  session.value = own
}

effect(() => {
  if (signedIn.value !== false) return
  isSessionRead.value = false
  session.value = null
  role.value = null
  record.value = null
  canSignInAgain.value = true
  hasPassword.value = false
  twoFactors.value = false
  hasNoAdministrator.value = false
})
