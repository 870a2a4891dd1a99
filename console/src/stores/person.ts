import { computed, effect } from '@preact/signals'
import { words } from '../words/entry.ts'
import { about } from './public-facts.ts'
import { accessChanges, onAdminTopic } from './admin-topics.ts'
import { connected } from './home.ts'
import { isAdministrator, readSession } from './own-session.ts'
import { createPasskey, requestPasskey, supportsPasskeys } from './proof.ts'
import { admin, signedIn, signIn, signInCaller } from './session.ts'

/** Reads the session again; the next event or connection repeats a failed request. */
const refreshSession = (): void => void readSession().catch(() => undefined)

// The first connection follows an answer for the session; a later one may have missed changes.
let isFirst = true
effect(() => {
  if (signedIn.value === false) isFirst = true
})
effect(() => {
  if (!connected.value) return
  if (!isFirst) refreshSession()
  isFirst = false
})
onAdminTopic('access', ({ kind }) => {
  if (kind === 'changed') refreshSession()
})

/** Reloads pages after a change of one's own account: the gateway sends its changes to administrators only. */
export function noteOwnChange(): void {
  if (isAdministrator.peek()) return
  accessChanges.value += 1
  refreshSession()
}

/** True if this browser supports passkeys and they work at this address. */
export const canUsePasskeys = computed(() => about.value?.passkeys === true && supportsPasskeys())

/** Creates a passkey for the signed-in person. @throws Error with a message for the page */
export async function addPasskey(name: string): Promise<void> {
  const { options } = await admin.call('post', '/admin/v1/passkeys/options')
  const passkey = await withOwnMessage(createPasskey(options))
  await admin.call('post', '/admin/v1/passkeys', { body: { name, passkey } })
  noteOwnChange()
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
