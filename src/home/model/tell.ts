import { stepsIn } from './rule-parts.ts'
import type { Step, Trigger } from './rules.ts'

/** Words in braces in the text of a message; the trigger of the run fills them (docs/messages.md#messages-of-rules). */
export const PLACEHOLDERS = ['device', 'room', 'value', 'time'] as const
export type Placeholder = (typeof PLACEHOLDERS)[number]

const DEVICES = ['device', 'group'] as const
/** Fields of the triggers that fill a placeholder; every trigger fills the time. */
const FILLED_BY = {
  device: DEVICES,
  room: DEVICES,
  value: [...DEVICES, 'mode', 'person', 'calendar'],
} as const satisfies Readonly<Record<Exclude<Placeholder, 'time'>, readonly string[]>>

const IN_BRACES = /\{([^{}]*)\}/g

/** True if a text has no other words in braces. */
export function hasKnownPlaceholders(text: string): boolean {
  return [...text.matchAll(IN_BRACES)].every(([, name]) => PLACEHOLDERS.some((known) => known === name))
}

/** The text with its placeholders filled. */
export function filled(text: string, fill: (placeholder: Placeholder) => string): string {
  return text.replaceAll(IN_BRACES, (braces, name: string) => {
    const known = PLACEHOLDERS.find((placeholder) => placeholder === name)
    return known === undefined ? braces : fill(known)
  })
}

/**
 * The first placeholder of a text that one of these triggers leaves empty; null if all are filled. A trigger of a group
 * fills them from the device that started it.
 */
export function emptyPlaceholder(text: string, triggers: readonly Trigger[]): Placeholder | null {
  const isFilled = (placeholder: keyof typeof FILLED_BY): boolean =>
    triggers.length > 0 && triggers.every((trigger) => FILLED_BY[placeholder].some((field) => field in trigger))
  const needed = PLACEHOLDERS.filter((placeholder) => placeholder !== 'time')
  return needed.find((placeholder) => text.includes(`{${placeholder}}`) && !isFilled(placeholder)) ?? null
}

/** True if a run of these steps may send a message. */
export function tells(steps: readonly Step[]): boolean {
  return stepsIn(steps).some((step) => 'tell' in step)
}
