import { type Cause, GATEWAY_CAUSE } from '../model/events.ts'
import {
  type DeviceKey,
  type Command,
  type DeviceState,
  isMoving,
  type Move,
  type ChangeTrigger,
} from '../model/device.ts'

type Op = Command['op']

/** Commands of one device that are remembered unanswered; the oldest go first. */
const ASKED_MAX = 8

interface Asked {
  readonly cause: Cause
  readonly op: Op
}

/** What one device was told to do. */
interface Commands {
  /** Of the command that the unit confirmed last. */
  confirmed: Cause | null
  /** Commands that the unit has not confirmed and may have carried out, the newest first. */
  asked: readonly Asked[]
  /** Which of these the unit has shown that it carries out. */
  shown: Asked | null
  /** Which way the device goes by a command, as last heard. */
  way: Move | null
}

/**
 * Whose command a unit carries out when it reports a change as one of a command (a fade, a travel). A cover or gate
 * that goes on as it went does so by the command that it confirmed, whatever else waits for the radio or is refused; a
 * unit that does something else before it answers, as one of a group may, does what it was asked last. Nothing opens by
 * a command that closes or stops, nor closes by one that opens (docs/activity.md#a-cause).
 */
export class CommandCauses {
  readonly #commands = new Map<DeviceKey, Commands>()

  /** A command is about to be sent. */
  asked(key: DeviceKey, cause: Cause, op: Op): void {
    const before = this.#commands.get(key)
    const confirmed = before?.shown?.cause ?? before?.confirmed ?? null
    const waiting = (before?.asked ?? []).filter((each) => each !== before?.shown)
    const asked = [{ cause, op }, ...waiting].slice(0, ASKED_MAX)
    this.#commands.set(key, { confirmed, asked, shown: null, way: before?.way ?? null })
  }

  /** The unit has confirmed a command. */
  confirmed(key: DeviceKey, cause: Cause): void {
    const commands = this.#commands.get(key)
    if (commands === undefined) return
    commands.confirmed = cause
    // What was asked before it and not answered is over.
    const at = commands.asked.findIndex((each) => each.cause === cause)
    if (at !== -1) commands.asked = commands.asked.slice(0, at)
    if (commands.shown !== null && !commands.asked.includes(commands.shown)) commands.shown = null
  }

  /** A command has failed, and the unit has certainly not carried it out. */
  notDone(key: DeviceKey, cause: Cause): void {
    const commands = this.#commands.get(key)
    if (commands === undefined) return
    commands.asked = commands.asked.filter((each) => each.cause !== cause)
    if (commands.shown?.cause === cause) commands.shown = null
  }

  /** The cause of a change that the unit reports as one of a command. */
  of(key: DeviceKey, state: DeviceState): Cause {
    const commands = this.#commands.get(key)
    if (commands === undefined) return GATEWAY_CAUSE
    const { confirmed, asked, shown, way } = commands
    if (shown !== null && mayMake(shown.op, state)) return shown.cause
    if (confirmed !== null && shown === null && goesOn(way, state)) return confirmed
    const made = asked.find(({ op }) => mayMake(op, state))
    if (made === undefined) return confirmed ?? GATEWAY_CAUSE
    commands.shown = made
    commands.asked = asked.slice(0, asked.indexOf(made) + 1)
    return made.cause
  }

  /** Takes every state that is confirmed, with what made it. */
  heard(key: DeviceKey, state: DeviceState, trigger: ChangeTrigger): void {
    const commands = this.#commands.get(key)
    if (commands === undefined) return
    const way = wayOf(state)
    if (trigger === 'command') commands.way = way
    // What is read again shows where the device goes, not by what.
    else if (trigger !== 'sync' || way !== commands.way) commands.way = null
  }

  keepOnly(has: (key: DeviceKey) => boolean): void {
    for (const key of this.#commands.keys()) if (!has(key)) this.#commands.delete(key)
  }
}

/** Whether a device that went this way still does, or has come to its end. */
function goesOn(way: Move | null, state: DeviceState): boolean {
  const now = wayOf(state)
  return way !== null && (now === null || now === way)
}

/** Null: it does not move, or never does. */
function wayOf(state: DeviceState): Move | null {
  return 'move' in state && isMoving(state) ? state.move : null
}

/** Whether a device may come into a state by an operation. */
function mayMake(op: Op, state: DeviceState): boolean {
  const opens = 'move' in state ? state.move === 'opening' : 'locked' in state && !state.locked
  const closes = 'move' in state ? state.move === 'closing' : 'locked' in state && state.locked
  if (op === 'open') return !closes
  if (op === 'close') return !opens
  return op !== 'stop' || !(opens || closes)
}
