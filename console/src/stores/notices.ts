import { signal } from '@preact/signals'
import { words } from '../words/frame.ts'

const SHOWN_MS = 7_000

/** Something that was done, told at the foot of the page. */
export interface Notice {
  readonly text: string
  /** Takes it back. */
  readonly undo: (() => Promise<unknown>) | null
}

/** What is told now. */
export const notice = signal<Notice | null>(null)
let ends: ReturnType<typeof setTimeout> | undefined
/** Dialogs that are open: under them nobody reaches what is told. */
let covers = 0

/** Tells what was done, for seven seconds in reach; by `undo` it can be taken back for that long. */
export function tell(text: string, undo: Notice['undo'] = null): void {
  const waits = notice.value?.text === words.unstored && text !== words.unstored
  notice.value = { text: waits ? `${text} ${words.unstored}` : text, undo }
  resume()
}

/** Tells that the disk has not taken yet what was just ended; what is told of that itself next goes before it. */
export const tellUnstored = (): void => tell(words.unstored)

/** It stays while somebody is at it, so that nobody has to hurry. */
export const hold = (): void => clearTimeout(ends)

export function resume(): void {
  clearTimeout(ends)
  if (covers > 0) return
  ends = setTimeout(() => (notice.value = null), SHOWN_MS)
}

/** A dialog opens over it: its seconds begin once that is closed, by what this answers. */
export function cover(): () => void {
  covers += 1
  hold()
  return () => {
    covers -= 1
    resume()
  }
}

export function dismiss(): void {
  clearTimeout(ends)
  notice.value = null
}
