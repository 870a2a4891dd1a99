import { effect, signal } from '@preact/signals'
import { linkCodeOf } from '../lib/addresses.ts'
import { words } from '../words/frame.ts'
import { readAbout, tryTrust } from './about.ts'
import { ended, follow } from './home.ts'
import { enter, isKnown, onOtherTab, signedIn } from './session.ts'

/** Why a one-time link did not open. */
export const linkRefusal = signal<string | null>(null)
// Whoever came in by another way signs out to a page that says nothing of it.
effect(() => {
  if (signedIn.value === true) linkRefusal.value = null
  if (signedIn.value === false) ownDeviceUnasked.value = false
})

/** Whether somebody came in by a link in the address, and was not asked yet whose device this is. */
export const ownDeviceUnasked = signal(false)

/** Comes in by the link in the address where there is one, else by the session that this browser knows. */
export async function arrive(): Promise<void> {
  // What this page knows and has begun is not for whoever that is.
  onOtherTab(() => location.reload())
  void tryTrust()
  void readAbout()
  const code = takenCode()
  if (code !== null) {
    try {
      await enter({ link: code, ownDevice: false })
      ownDeviceUnasked.value = true
    } catch (error) {
      linkRefusal.value = error instanceof Error ? error.message : words.linkRefused
    }
  }
  if (isKnown()) await follow()
  else ended()
}

/** The code of a one-time link, taken out of the address so that nobody reads it there. */
function takenCode(): string | null {
  const code = linkCodeOf(location.hash)
  if (code !== null) history.replaceState(null, '', location.pathname + location.search)
  return code
}
