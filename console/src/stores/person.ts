import { computed, effect, signal } from '@preact/signals'
import type { ConsoleSession } from '../lib/admin-contract.ts'
import { words } from '../words/entry.ts'
import { about } from './about.ts'
import { connected } from './home.ts'
import { madePasskey, shownPasskey, takesPasskeys } from './proof.ts'
import { onPushed } from './pushed.ts'
import { admin, door, enter, signedIn } from './session.ts'

/** The session of this browser; null before it is known. Its `person` is null until somebody gave a name in it. */
export const session = signal<ConsoleSession | null>(null)

/**
 * Whether nobody administers the home by name yet, as far as whoever has no name themselves is told: of a home that
 * somebody looks after nobody who came in by a link is offered to put another in its place.
 */
export const nobodyByName = signal(false)

/** Whether who is signed in here can come in again without a link, as far as is known. */
export const comesBack = signal(true)

/** Whether the session of this page was asked for: what it says stands above every page. */
export const isPersonRead = signal(false)

/** Who is signed in here, as the activity names them; null before that is known. */
export const person = computed(() => session.value?.name ?? null)

async function read(): Promise<void> {
  const { session: own, comesBack: canCome } = await admin.call('get', '/admin/v1/session')
  const isFirst = own?.person === null && (await admin.call('get', '/admin/v1/persons')).persons.length === 0
  if (signedIn.peek() === false) return
  session.value = own
  comesBack.value = canCome
  nobodyByName.value = isFirst
}

/** Says whether this is a device of one's own, on which the session lasts longer. @throws HmError */
export async function setOwnDevice(ownDevice: boolean): Promise<void> {
  const { session: own } = await admin.call('patch', '/admin/v1/session', { body: { ownDevice } })
  session.value = own
}

const readOrLeave = (): void =>
  void read()
    .catch(() => undefined)
    .finally(() => (isPersonRead.value = true))

effect(() => {
  if (connected.value) readOrLeave()
})
effect(() => {
  if (signedIn.value !== false) return
  isPersonRead.value = false
  session.value = null
  comesBack.value = true
  nobodyByName.value = false
})
onPushed('access', ({ kind }) => {
  if (kind === 'changed') readOrLeave()
})

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
