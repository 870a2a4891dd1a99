import type { Detection } from '../model/device.ts'
import type { RuleKind } from '../model/rules.ts'
import { detectionWords } from './units.ts'

/** Titles of messages: one sentence without a full stop, with the name of the thing first. */
export const alarmTitle = (name: string, kind: Detection): string => `${name}: ${detectionWords(kind, true)}`

export const entranceTitle = (name: string, minutes: number): string => `${name} has been open for ${minutes} minutes`

export const lostTitle = (name: string, minutes: number): string => `${name} has not answered for ${minutes} minutes`

export const batteryTitle = (name: string, percent: number): string => `${name}: its battery has ${percent} % left`

export const failedRuleTitle = (kind: RuleKind, name: string): string =>
  `The ${kind} “${name}” ran, but not every step succeeded`

export const accessTitle = (agent: string): string => `${agent} asks for access`

export const openingTitle = (agent: string, what: string): string => `${agent} wants to ${what}`

export const TEST_TITLE = 'This is a test message'

export const moreTitle = (count: number): string => (count === 1 ? 'One more message' : `${count} more messages`)
