import { plainTextOf } from '../../lib/plain-text.ts'
import { ZoneTime } from '../../lib/zone-time.ts'
import type { Detection, DeviceKey } from '../model/device.ts'
import { TELLS_PER_HOME_MAX, TELLS_PER_RULE_MAX } from '../model/messages.ts'
import { type RuleKind, TELL_CHARACTERS_MAX, type Trigger, type Value } from '../model/rules.ts'
import { filled, type Placeholder } from '../model/tell.ts'
import type { RunTrigger } from '../ports/rule-store.ts'
import { KEY_NAMES } from './rules.ts'
import { detectionWords, reachabilityWords } from './units.ts'
import { clockWords, valueWords } from './values.ts'

/** Titles of messages: one sentence without a full stop, with the name of the thing first. */
export const alarmTitle = (name: string, kind: Detection): string => `${name}: ${detectionWords(kind, true)}`

export const entranceTitle = (name: string, minutes: number): string => `${name} has been open for ${minutes} minutes`

export const lostTitle = (name: string, minutes: number): string => `${name} has not answered for ${minutes} minutes`

export const batteryTitle = (name: string, percent: number): string => `${name}: its battery has ${percent} % left`

export const failedRuleTitle = (kind: RuleKind, name: string): string =>
  `The ${kind} “${name}” ran, but not every step succeeded`

export const accessTitle = (agent: string): string => `${agent} asks for access`

export const openingTitle = (agent: string, what: string): string => `${agent} wants to ${what}`

/** The value that set off a trigger about a device: `4 W`, `smoke detected`; null for other triggers. */
export function triggerValueWords(trigger: Trigger, value: Value | null): string | null {
  if ('state' in trigger) return valueWords(trigger.state, value)
  if ('reading' in trigger) return valueWords(trigger.reading, value)
  if ('detection' in trigger) return detectionWords(trigger.detection, trigger.is ?? true)
  if ('reachable' in trigger) return reachabilityWords(trigger.reachable)
  return 'touch' in trigger ? KEY_NAMES[trigger.touch] : null
}

/** Names of a device and of its room; null if hidden or missing. */
export interface TellNames {
  readonly device: (key: DeviceKey) => string | null
  readonly room: (key: DeviceKey) => string | null
}

interface TellSource {
  readonly trigger: Pick<RunTrigger, 'device' | 'value'> | null
  /** Epoch ms of the trigger. */
  readonly at: number
  readonly names: TellNames
  readonly timeZone: string
}

const UNKNOWN = 'unknown'

/** The text of a message with its placeholders filled, cut to its longest length. */
export function tellText(text: string, { trigger, at, names, timeZone }: TellSource): string {
  const device = trigger?.device ?? null
  const fills: Readonly<Record<Placeholder, () => string | null>> = {
    device: () => device && names.device(device),
    room: () => device && names.room(device),
    value: () => trigger?.value ?? null,
    time: () => clockWords(new ZoneTime(timeZone).at(at).minute),
  }
  const whole = filled(text, (placeholder) => fills[placeholder]() ?? UNKNOWN)
  return whole.length <= TELL_CHARACTERS_MAX ? whole : `${plainTextOf(whole, TELL_CHARACTERS_MAX - 1)}…`
}

/** `isOwn`: by the limit of the rule, else by that of the home. */
export const toldEnoughWords = (isOwn: boolean): string =>
  isOwn
    ? `sent no message: it has sent ${TELLS_PER_RULE_MAX} within an hour`
    : `sent no message: the rules of the home have sent ${TELLS_PER_HOME_MAX} within an hour`

export const TEST_TITLE = 'This is a test message'

/** Words on a lock screen that shows no names. */
export const LOOK_TITLE = 'Look at your home'

/** A message with the number of its repetition. */
export const repeatedTitle = (title: string, repeat: number): string =>
  repeat === 0 ? title : `${title} (reminder ${repeat})`

export const moreTitle = (count: number): string => (count === 1 ? 'One more message' : `${count} more messages`)
