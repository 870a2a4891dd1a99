import { signal } from '@preact/signals'
import { words } from '../words/page-frame.ts'

const SHOWN_MS = 7_000

/** Message at the foot of the page about a finished action. */
export interface PageNotice {
  readonly text: string
  /** Reverts the action; null without an Undo button. */
  readonly undo: (() => Promise<unknown>) | null
}

/** The visible notice. */
export const notice = signal<PageNotice | null>(null)
let timer: ReturnType<typeof setTimeout> | undefined
/** Open dialogs. They cover the notice, so its time stops. */
let openDialogs = 0

/** Shows a notice for seven seconds. The warning about unstored changes stays visible after it. */
export function showNotice(text: string, undo: PageNotice['undo'] = null): void {
  const addsWarning = notice.value?.text === words.unstored && text !== words.unstored
  notice.value = { text: addsWarning ? `${text} ${words.unstored}` : text, undo }
  resumeNotice()
}

/** Warns that the disk has not stored the last change yet. */
export const warnUnstored = (): void => showNotice(words.unstored)

/** Stops the time while the pointer or focus is on the notice. */
export const pauseNotice = (): void => clearTimeout(timer)

export function resumeNotice(): void {
  clearTimeout(timer)
  if (openDialogs > 0) return
  timer = setTimeout(() => (notice.value = null), SHOWN_MS)
}

/** Stops the time while a dialog is open. Returns the function to call when the dialog closes. */
export function pauseForDialog(): () => void {
  openDialogs += 1
  pauseNotice()
  return () => {
    openDialogs -= 1
    resumeNotice()
  }
}

export function dismissNotice(): void {
  clearTimeout(timer)
  notice.value = null
}
