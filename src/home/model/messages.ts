import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import type { DeviceKey } from './device.ts'
import type { Audience, MessageUrgency } from './recipients.ts'
import type { ReferenceLists } from './rule-parts.ts'

/** Messages of the home for people (docs/messages.md). New kinds come last, because clients know the words. */
export const MESSAGE_KINDS = [
  'smoke',
  'water',
  'tamper',
  'entrance_open',
  'unit_lost',
  'rule_failed',
  'battery',
  'agent',
  'backup',
  'disk',
  'line',
  'more',
  'test',
  'tell',
] as const
export type MessageKind = (typeof MESSAGE_KINDS)[number]

/** Recipient and urgency of each kind that the gateway sends by itself. */
export const KIND_RULES: Readonly<Record<MessageKind, { readonly to: Audience; readonly urgency: MessageUrgency }>> = {
  smoke: { to: 'everyone', urgency: 'alarm' },
  water: { to: 'everyone', urgency: 'alarm' },
  tamper: { to: 'everyone', urgency: 'alarm' },
  entrance_open: { to: 'everyone', urgency: 'normal' },
  unit_lost: { to: 'administrators', urgency: 'normal' },
  rule_failed: { to: 'administrators', urgency: 'normal' },
  battery: { to: 'administrators', urgency: 'normal' },
  agent: { to: 'administrators', urgency: 'high' },
  backup: { to: 'administrators', urgency: 'high' },
  disk: { to: 'administrators', urgency: 'high' },
  line: { to: 'administrators', urgency: 'high' },
  more: { to: 'everyone', urgency: 'normal' },
  test: { to: 'everyone', urgency: 'high' },
  // The step of the rule says both.
  tell: { to: 'everyone', urgency: 'normal' },
}

/**
 * Things that a recipient must see to get a message: those that a rule names, by device key and local id, and the rooms
 * of the text.
 */
export type MessageSubjects = ReferenceLists

/** A message before it is stored. */
export interface MessageDraft {
  readonly kind: MessageKind
  readonly urgency: MessageUrgency
  readonly to: Audience
  /** One sentence. */
  readonly title: string
  readonly device: DeviceKey | null
  /** Path of the console's page that helps, or null. */
  readonly go: string | null
  readonly subjects: MessageSubjects
  /** Equal references of one kind are the same condition. */
  readonly ref: string
  /** True while its condition lasts, such as smoke; false for an event. */
  readonly lasts: boolean
}

export interface HomeMessage extends MessageDraft {
  /** Random, so that clients cannot count hidden messages. */
  readonly id: string
  /** Epoch ms, as all times here. */
  readonly at: number
  /** End of a lasting condition, or null. */
  readonly endedAt: number | null
  readonly acknowledgedAt: number | null
  /** The person or program that acknowledged it. */
  readonly acknowledgedBy: string | null
  /** Number of notices so far: 0 while it is held, 1 after the first, more for repetitions of an alarm. */
  readonly notices: number
  /** Time of the next notice: the end of the quiet hours, or the next repetition. */
  readonly nextAt: number | null
}

/** `update`: it was acknowledged, or its condition ended. */
export const MESSAGE_CHANGES = ['new', 'repeat', 'update'] as const

/** A notice that leaves the home on a channel. `repeat` counts the repetitions of an alarm. */
export interface MessageNotice {
  readonly message: HomeMessage
  readonly change: (typeof MESSAGE_CHANGES)[number]
  readonly repeat: number
  /** True for the last repetition, which goes to administrators only. */
  readonly isLast: boolean
}

export const MESSAGES_MAX = 2_000
export const MESSAGES_KEPT_MS = 30 * DAY_MS
/** Equal kind and reference within this time are one message. */
export const GATHER_MS = MINUTE_MS
/** A channel gets this many messages in `FOLD_MS`; further ones become one. Alarms always pass. */
export const FOLD_AFTER = 10
export const FOLD_MS = 10 * MINUTE_MS
/** Waits before the first repetitions of an unacknowledged alarm, and between the later ones. */
export const REPEAT_AFTER_MS: readonly number[] = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS]
export const REPEAT_EVERY_MS = 30 * MINUTE_MS
export const REPEATS_MAX = 10
/** Messages of one rule, and of all rules of the home, within `TELL_MS`; as many alarms of all rules besides. */
export const TELLS_PER_RULE_MAX = 60
export const TELLS_PER_HOME_MAX = 200
export const TELL_MS = HOUR_MS
/** Time for which an entrance stands open, or a unit is lost, before a message. */
export const OPEN_MS = 10 * MINUTE_MS
export const LOST_MS = 10 * MINUTE_MS

/** Time of a repetition after the message, in ms; null after the last. */
export function repeatAfter(repeat: number): number | null {
  if (repeat > REPEATS_MAX + 1) return null
  const last = REPEAT_AFTER_MS.at(-1) ?? 0
  return REPEAT_AFTER_MS[repeat - 1] ?? last + (repeat - REPEAT_AFTER_MS.length) * REPEAT_EVERY_MS
}

/** True while the condition of the message lasts. */
export function isLasting({ lasts, endedAt }: Pick<HomeMessage, 'lasts' | 'endedAt'>): boolean {
  return lasts && endedAt === null
}

/** True for an alarm that is repeated until somebody acknowledges it. */
export function isRinging({ urgency, acknowledgedAt, endedAt }: HomeMessage): boolean {
  return urgency === 'alarm' && acknowledgedAt === null && endedAt === null
}
