import { computed, effect, signal } from '@preact/signals'
import type { ConsoleSession } from '../lib/admin-contract.ts'
import { words } from '../words/entry.ts'
import { about } from './public-facts.ts'
import { onAdminTopic } from './admin-topics.ts'
import { connected } from './home.ts'
import { createPasskey, requestPasskey, supportsPasskeys } from './proof.ts'
import { admin, signedIn, signIn, signInCaller } from './session.ts'

/** The session of this browser; null before the first answer. `person` is null until it has an account. */
export const session = signal<ConsoleSession | null>(null)

/**
 * True if the home has no administrator by name, as far as this session may know. Only then does the console offer a
 * session by link to restore another home.
 */
export const hasNoAdministrator = signal(false)

/** False if this person has neither a password nor a passkey; true before the first answer. */
export const canSignInAgain = signal(true)

/** True after the first request for the session; pages wait for it, because its banners stand above them. */
export const isSessionRead = signal(false)

/** Name of the signed-in person as in the activity log; null before the first answer. */
export const personName = computed(() => session.value?.name ?? null)

async function readSession(): Promise<void> {
  const { session: own, comesBack } = await admin.call('get', '/admin/v1/session')
  const isFirst = own?.person === null && (await admin.call('get', '/admin/v1/persons')).persons.length === 0
  if (signedIn.peek() === false) return
  session.value = own
  canSignInAgain.value = comesBack
  hasNoAdministrator.value = isFirst
}

/** Sets whether this is the person's own device, which lengthens the session. @throws HmError */
export async function setOwnDevice(ownDevice: boolean): Promise<void> {
  const { session: own } = await admin.call('patch', '/admin/v1/session', { body: { ownDevice } })
  session.value = own
}

const refreshSession = (): void =>
  void readSession()
    .catch(() => undefined)
    .finally(() => (isSessionRead.value = true))

effect(() => {
  if (connected.value) refreshSession()
})
effect(() => {
  if (signedIn.value !== false) return
  isSessionRead.value = false
  session.value = null
  canSignInAgain.value = true
  hasNoAdministrator.value = false
})
onAdminTopic('access', ({ kind }) => {
  if (kind === 'changed') refreshSession()
})

/** True if this browser supports passkeys and they work at this address. */
export const canUsePasskeys = computed(() => about.value?.passkeys === true && supportsPasskeys())

/** Creates a passkey for the signed-in person. @throws Error with a message for the page */
export async function addPasskey(name: string): Promise<void> {
  const { options } = await admin.call('post', '/admin/v1/passkeys/options')
  const passkey = await withOwnMessage(createPasskey(options))
  await admin.call('post', '/admin/v1/passkeys', { body: { name, passkey } })
}

/** Signs in with a passkey. @throws Error with a message for the page */
export async function signInByPasskey(ownDevice: boolean): Promise<void> {
  const { options } = await signInCaller.call('post', '/console/challenge')
  await signIn({ passkey: await withOwnMessage(requestPasskey(options)), ownDevice })
}

/** Replaces the browser's message, which is the same for every failure. */
async function withOwnMessage<T>(passkey: Promise<T>): Promise<T> {
  try {
    return await passkey
  } catch (error) {
    const alreadyExists = error instanceof DOMException && error.name === 'InvalidStateError'
    throw new Error(alreadyExists ? words.passkeyExists : words.passkeyCancelled, { cause: error })
  }
}
