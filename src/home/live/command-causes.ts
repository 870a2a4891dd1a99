import { type Cause, GATEWAY_CAUSE } from '../model/cause.ts'
import type { DeviceKey } from '../model/device.ts'
import type { DeviceState, Move } from '../model/state.ts'
import type { ChangeTrigger } from '../ports/unit-bus.ts'

/** What one device was told to do. */
interface Commands {
  /** Of the command that the unit confirmed last. */
  confirmed: Cause | null
  /** Of the last command that the unit has not confirmed, and may have carried out. */
  asked: Cause | null
  /** Whether the unit has shown that it carries out what it was asked. */
  shown: boolean
  /** Which way the device goes by a command, as last heard. */
  way: Move | null
}

/**
 * Whose command a unit carries out when it reports a change as one of a command (a fade, a travel). A cover or gate
 * that goes on as it went does so by the command that it confirmed, whatever else waits for the radio or is refused; a
 * unit that does something else before it answers, as one of a group may, does what it was asked last
 * (docs/activity.md#a-cause).
 */
export class CommandCauses {
  readonly #commands = new Map<DeviceKey, Commands>()

  /** A command is about to be sent. */
  asked(key: DeviceKey, cause: Cause): void {
    const before = this.#commands.get(key)
    const carriedOut = before?.shown === true ? before.asked : null
    const confirmed = carriedOut ?? before?.confirmed ?? null
    this.#commands.set(key, { confirmed, asked: cause, shown: false, way: before?.way ?? null })
  }

  /** The unit has confirmed a command. */
  confirmed(key: DeviceKey, cause: Cause): void {
    const commands = this.#commands.get(key)
    if (commands === undefined) return
    commands.confirmed = cause
    if (commands.asked === cause) commands.asked = null
  }

  /** A command has failed, and the unit has certainly not carried it out. */
  notDone(key: DeviceKey, cause: Cause): void {
    const commands = this.#commands.get(key)
    if (commands?.asked === cause) commands.asked = null
  }

  /** The cause of a change that the unit reports as one of a command. */
  of(key: DeviceKey, state: DeviceState): Cause {
    const commands = this.#commands.get(key)
    if (commands === undefined) return GATEWAY_CAUSE
    const { confirmed, asked } = commands
    if (asked === null || (confirmed !== null && !commands.shown && goesOn(commands.way, state)))
      return confirmed ?? GATEWAY_CAUSE
    commands.shown = true
    return asked
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

  /** Forgets devices that the house no longer has. */
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
  return 'move' in state && state.move !== 'stopped' ? state.move : null
}
