import { signal } from '@preact/signals'

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

/** Tells what was done, for seven seconds; by `undo` it can be taken back for that long. */
export function tell(text: string, undo: Notice['undo'] = null): void {
  notice.value = { text, undo }
  resume()
}

/** It stays while somebody is at it, so that nobody has to hurry. */
export const hold = (): void => clearTimeout(ends)

export function resume(): void {
  clearTimeout(ends)
  ends = setTimeout(() => {
    notice.value = null
  }, SHOWN_MS)
}

export function dismiss(): void {
  clearTimeout(ends)
  notice.value = null
}
