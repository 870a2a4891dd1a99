import { effect, signal } from '@preact/signals'
import { signedIn } from './session.ts'

const STORAGE_KEY = 'hm-restored'

/** Message of the sign-in page after a restore in this window; null without one. */
export const restoreNote = signal<string | null>(sessionStorage.getItem(STORAGE_KEY))

/** Stores the message in this window, where it survives the gateway's restart and a page reload. */
export function setRestoreNote(sentence: string): void {
  sessionStorage.setItem(STORAGE_KEY, sentence)
  restoreNote.value = sentence
}

export function clearRestoreNote(): void {
  sessionStorage.removeItem(STORAGE_KEY)
  restoreNote.value = null
}

let wasSignedOut = signedIn.peek() !== true
effect(() => {
  if (signedIn.value === false) wasSignedOut = true
  if (signedIn.value === true && wasSignedOut) {
    wasSignedOut = false
    clearRestoreNote()
  }
})
