import { signal } from '@preact/signals'
import { words } from '../words/frame.ts'
import { readAbout } from './about.ts'
import { ended, follow } from './home.ts'
import { enter, isKnown } from './session.ts'
import { tryTrust } from './trust.ts'

/** Why a one-time link did not open. */
export const linkRefusal = signal<string | null>(null)

/** Comes in by the link in the address where there is one, else by the session that this browser knows. */
export async function arrive(): Promise<void> {
  void tryTrust()
  void readAbout()
  const code = takenCode()
  if (code !== '') {
    try {
      await enter({ link: code, ownDevice: true })
    } catch (error) {
      linkRefusal.value = error instanceof Error ? error.message : words.linkRefused
    }
  }
  if (isKnown()) await follow()
  else ended()
}

/** The code of a one-time link, taken out of the address so that nobody reads it there. */
function takenCode(): string {
  const code = location.hash.slice(1)
  if (code !== '') history.replaceState(null, '', location.pathname + location.search)
  return code
}
