import { computed, effect, signal } from '@preact/signals'
import { linkCodeOf } from '../lib/page-paths.ts'
import { words } from '../words/page-frame.ts'
import { checkTrust, readAbout, trust } from './public-facts.ts'
import { endSession, followHome } from './home.ts'
import { session } from './own-session.ts'
import { loadSession, onSessionOfOtherTab, signedIn, signIn } from './session.ts'

/** Error message of a refused one-time link; null if no link was refused. */
export const linkError = signal<string | null>(null)
// The next sign-in page must not repeat an old error.
effect(() => {
  if (signedIn.value === true) linkError.value = null
  if (signedIn.value === false) mustAskOwnDevice.value = false
})

/** True after a sign-in by link in the address: the page still has to ask whether this is the person's own device. */
export const mustAskOwnDevice = signal(false)

/** Signs in with the one-time link in the address, else continues this browser's session. */
export async function startSession(): Promise<void> {
  // Data on this page belongs to the session that loaded it.
  onSessionOfOtherTab(() => location.reload())
  void checkTrust()
  void readAbout()
  const code = takeLinkCode()
  if (code !== null) {
    try {
      await signIn({ link: code, ownDevice: false })
      mustAskOwnDevice.value = true
    } catch (error) {
      linkError.value = error instanceof Error ? error.message : words.linkRefused
    }
  }
  if (loadSession()) await followHome()
  else endSession()
}

const person = computed(() => (trust.value === 'verified' ? (session.value?.person ?? null) : null))
effect(() => {
  // Few browsers have a subscription; the others load nothing.
  if (person.value === null || !('Notification' in globalThis) || Notification.permission !== 'granted') return
  void import('./push.ts').then(({ adoptSubscription }) => adoptSubscription()).catch(() => undefined)
})

/** Removes the link's code from the address bar, so that bystanders cannot read it. */
function takeLinkCode(): string | null {
  const code = linkCodeOf(location.hash)
  if (code !== null) history.replaceState(null, '', location.pathname + location.search)
  return code
}
