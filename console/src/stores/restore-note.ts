import { effect, signal } from '@preact/signals'
import { signedIn } from './session.ts'

const NOTE = 'hm-restored'

/** What whoever signs in after a restore is told; null where there was none in this window. */
export const restoredNote = signal<string | null>(sessionStorage.getItem(NOTE))

/** Kept for this window, over the restart of the gateway and a new loading of the page. */
export function noteRestored(sentence: string): void {
  sessionStorage.setItem(NOTE, sentence)
  restoredNote.value = sentence
}

export function forgetRestored(): void {
  sessionStorage.removeItem(NOTE)
  restoredNote.value = null
}

let wasOut = signedIn.peek() !== true
effect(() => {
  if (signedIn.value === false) wasOut = true
  if (signedIn.value === true && wasOut) {
    wasOut = false
    forgetRestored()
  }
})
