import { type DeviceState, type Move, MOVES } from '../model/device.ts'
import { plainWord } from './values.ts'

/** Any field of any state. */
type Fields = Readonly<Record<string, unknown>>

/** A state change in words, with the fields that changed. */
export interface ChangePhrase {
  /** One phrase without the device's name: `turned on at 40 %`, `mode set to eco`. */
  readonly what: string
  readonly from: Fields
  readonly to: Fields
}

/**
 * Differences between two confirmed states, or null if none deserves an entry. Every field counts, even while the
 * device stays on. Positions of a moving cover do not, because its start and its stop are recorded.
 */
export function changeWords(previous: DeviceState | null, state: DeviceState): ChangePhrase | null {
  const before: Fields = { ...previous }
  const after: Fields = { ...state }
  const changed = Object.keys(after).filter((field) => before[field] !== after[field])
  if (changed.length === 0 || isOnItsWay(before, after)) return null
  const phrases = [
    power(before, after),
    cover(before, after),
    ...changed.map((field) => attribute(field, before, after)),
  ].filter((phrase) => phrase !== null)
  if (phrases.length === 0) return null
  const pick = (fields: Fields): Fields =>
    Object.fromEntries(changed.filter((field) => fields[field] !== undefined).map((field) => [field, fields[field]]))
  return { what: phrases.join(', '), from: pick(before), to: pick(after) }
}

/** A remote sends a key and holds no state, so the same key again is a change too. */
export function keyWords(key: string): string {
  return `key ${plainWord(key)} sent`
}

/** True if only the position of a moving device changed. */
function isOnItsWay(before: Fields, after: Fields): boolean {
  return (
    'move' in after &&
    after['move'] !== 'stopped' &&
    Object.keys(after).every((field) => field === 'pos' || before[field] === after[field])
  )
}

function power(before: Fields, after: Fields): string | null {
  if (typeof after['on'] !== 'boolean' || before['on'] === after['on']) return null
  if (!after['on']) return 'turned off'
  return typeof after['bri'] === 'number' ? `turned on at ${after['bri']} %` : 'turned on'
}

function cover(before: Fields, after: Fields): string | null {
  if (typeof after['pos'] !== 'number') return null
  const [move, moved] = [moveOf(after), moveOf(before)]
  // The activity already records the loss of the unit.
  if (move === 'unknown') return null
  if (move === 'opening' || move === 'closing') return moved === move ? null : `started ${move}`
  if (before['pos'] === after['pos']) {
    if (moved === 'unknown') return `stopped at ${after['pos']} %`
    return moved === undefined || moved === move ? null : stopped(after['pos'], moved)
  }
  if (moved === 'opening' || moved === 'closing') return stopped(after['pos'], moved)
  return typeof before['pos'] === 'number' && after['pos'] < before['pos']
    ? stopped(after['pos'], 'closing')
    : stopped(after['pos'], 'opening')
}

function moveOf(fields: Fields): Move | undefined {
  return MOVES.find((move) => move === fields['move'])
}

function stopped(pos: number, move: Move): string {
  if (pos === 100) return 'opened'
  if (pos === 0) return 'closed'
  return `${move === 'closing' ? 'closed' : 'opened'} to ${pos} %`
}

/** On or off, position and movement have their own functions above. */
function attribute(field: string, before: Fields, after: Fields): string | null {
  const value = after[field]
  switch (field) {
    case 'bri':
      // Turning on reports the level. A light that is off shows its next level early, which is no change.
      return after['on'] === true && before['on'] === true ? `brightness set to ${String(value)} %` : null
    case 'mode':
      return before['mode'] === undefined ? null : `mode set to ${plainWord(String(value))}`
    case 'temp':
      return temperature(before['temp'], value)
    case 'fan':
      return before['fan'] === undefined ? null : `fan set to ${String(value)}`
    case 'locked':
      return value === true ? 'locked' : 'unlocked'
    case 'key':
      return typeof value === 'string' ? keyWords(value) : null
    default:
      return null
  }
}

function temperature(before: unknown, value: unknown): string | null {
  if (before === undefined) return null
  return typeof value === 'number' ? `temperature set to ${value} °C` : 'no longer heats or cools'
}
