import type { Command } from '../model/device.ts'
import { isRelative, type RelativeCommand, type StepCommand } from '../model/steps.ts'
import type { ControlFailure, OpeningRefusal } from '../ports/unit-bus.ts'
import { plainWord } from './values.ts'

/** A command as a plain phrase: `turn on`, `set brightness to 40 %`. */
export function commandWords(command: Command): string {
  switch (command.op) {
    case 'set_power':
      return command.args.on ? 'turn on' : 'turn off'
    case 'set_brightness':
      return `set brightness to ${command.args.bri} %`
    case 'set_position':
      return `open to ${command.args.pos} %`
    case 'set_mode':
      return `set mode ${command.args.mode}`
    case 'set_temp':
      return `set temperature to ${command.args.temp} °C`
    case 'set_ac_mode':
      return `set air conditioning to ${plainWord(command.args.mode)}`
    case 'set_fan':
      return `set fan to ${command.args.fan}`
    case 'key':
      return `send key ${plainWord(command.args.key)}`
    case 'open':
    case 'close':
    case 'stop':
      return command.op
  }
}

/** The command of a step: `turn on`, `toggle`, `make brightness 20 % lower`. */
export function stepCommandWords(command: StepCommand): string {
  return isRelative(command) ? relativeWords(command) : commandWords(command)
}

const CHANGED = {
  set_brightness: ['brightness', '%', 'lower', 'higher'],
  set_position: ['it', '%', 'further closed', 'further open'],
  set_temp: ['temperature', '°C', 'lower', 'higher'],
} as const

function relativeWords(command: RelativeCommand): string {
  if (command.op === 'toggle') return 'toggle'
  const [what, unit, less, more] = CHANGED[command.op]
  const { by } = command.args
  return `make ${what} ${Math.abs(by)} ${unit} ${by < 0 ? less : more}`
}

/** Reason for a failure, as the end of a sentence. */
export function failureWords(failure: ControlFailure): string {
  return failure.kind === 'refused' ? `the unit refused (${failure.detail})` : FAILURES[failure.kind]
}

const FAILURES: Readonly<Record<Exclude<ControlFailure['kind'], 'refused'>, string>> = {
  unavailable: 'the unit adapter cannot carry frames',
  no_answer: 'the unit does not answer',
  unknown_unit: 'the unit is not on the bus',
  busy: 'the unit is busy',
  too_many: 'too many requests of the same credential were waiting',
  not_there: 'the house has no such device',
  not_offered: 'the device has no such operation',
}

/**
 * Reason why a run did not open an entrance, as the end of a sentence; about the author of the step or the requester.
 */
export const OPENING_REFUSAL_WORDS: Readonly<Record<OpeningRefusal, string>> = {
  integration_deleted: 'the integration behind it was deleted',
  integration_disabled: 'the integration behind it is disabled',
  integration_over: 'the time of the integration behind it has ended',
  outside_hours: 'the integration behind it is outside its hours',
  unlock_off: 'the integration behind it may not open (allow_unlock is off)',
  credential_ended: 'the credential behind it has ended',
  unconfirmed: 'an agent is behind it, and no administrator confirmed this opening',
}

/** Text for readers that may not learn about another integration. */
export const OPENING_REFUSED = 'refused: no permission to open'
