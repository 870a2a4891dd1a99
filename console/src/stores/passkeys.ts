import { computed } from '@preact/signals'
import { words } from '../words/entry.ts'
import { about } from './about.ts'
import { admin, door, enter } from './session.ts'
import { madePasskey, shownPasskey, takesPasskeys } from './webauthn.ts'

/** Whether this browser can make and show passkeys at the address of this page. */
export const passkeysHere = computed(() => about.value?.passkeys === true && takesPasskeys())

/** Has the browser make a passkey for whoever is signed in, and the gateway keep it. @throws Error, one sentence */
export async function makePasskey(name: string): Promise<void> {
  const { options } = await admin.call('post', '/admin/v1/passkeys/options')
  const passkey = await orGivenUp(madePasskey(options))
  await admin.call('post', '/admin/v1/passkeys', { body: { name, passkey } })
}

/** Signs in by a passkey. @throws Error, one sentence */
export async function enterByPasskey(ownDevice: boolean): Promise<void> {
  const { options } = await door.call('post', '/console/challenge')
  await enter({ passkey: await orGivenUp(shownPasskey(options)), ownDevice })
}

/** Browsers say of every failure the same, and nothing that helps. */
async function orGivenUp<T>(passkey: Promise<T>): Promise<T> {
  try {
    return await passkey
  } catch (error) {
    const isKnown = error instanceof DOMException && error.name === 'InvalidStateError'
    throw new Error(isKnown ? words.passkeyIsThere : words.passkeyGivenUp, { cause: error })
  }
}
