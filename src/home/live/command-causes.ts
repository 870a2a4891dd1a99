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

/** Most unconfirmed commands remembered for each device; the oldest are dropped first. */
const UNCONFIRMED_MAX = 8

interface SentCommand {
  readonly cause: Cause
  readonly op: Op
}

/** Recent commands of one device. */
interface Commands {
  /** Cause of the command that the unit confirmed last. */
  confirmed: Cause | null
  /** Commands that the unit has not confirmed and may have carried out, newest first. */
  unconfirmed: readonly SentCommand[]
  /** The unconfirmed command that the unit is evidently carrying out. */
  running: SentCommand | null
  /** Last reported direction of a movement by a command. */
  direction: Move | null
}

/**
 * Attributes a change that a unit reports as caused by a command (a fade, a travel). A cover or gate that continues in
 * its direction does so by its confirmed command, regardless of waiting or refused commands. A unit that changes
 * otherwise before it answers, as in a group, follows the latest sent command. A command to close or stop never counts
 * as the cause of an opening, and a command to open never causes a closing (docs/activity.md#a-cause).
 */
export class CommandCauses {
  readonly #commands = new Map<DeviceKey, Commands>()

  /** Notes a command before it is sent. */
  sent(key: DeviceKey, cause: Cause, op: Op): void {
    const before = this.#commands.get(key)
    const confirmed = before?.running?.cause ?? before?.confirmed ?? null
    const waiting = (before?.unconfirmed ?? []).filter((command) => command !== before?.running)
    const unconfirmed = [{ cause, op }, ...waiting].slice(0, UNCONFIRMED_MAX)
    this.#commands.set(key, { confirmed, unconfirmed, running: null, direction: before?.direction ?? null })
  }

  /** Notes the unit's confirmation of a command. */
  confirmed(key: DeviceKey, cause: Cause): void {
    const commands = this.#commands.get(key)
    if (commands === undefined) return
    commands.confirmed = cause
    // Earlier commands without an answer are over.
    const at = commands.unconfirmed.findIndex((command) => command.cause === cause)
    if (at !== -1) commands.unconfirmed = commands.unconfirmed.slice(0, at)
    if (commands.running !== null && !commands.unconfirmed.includes(commands.running)) commands.running = null
  }

  /** Notes a failed command that the unit has certainly not carried out. */
  failed(key: DeviceKey, cause: Cause): void {
    const commands = this.#commands.get(key)
    if (commands === undefined) return
    commands.unconfirmed = commands.unconfirmed.filter((command) => command.cause !== cause)
    if (commands.running?.cause === cause) commands.running = null
  }

  /** Cause of a change that the unit reports as caused by a command. */
  of(key: DeviceKey, state: DeviceState): Cause {
    const commands = this.#commands.get(key)
    if (commands === undefined) return GATEWAY_CAUSE
    const { confirmed, unconfirmed, running, direction } = commands
    if (running !== null && mayCause(running.op, state)) return running.cause
    if (confirmed !== null && running === null && continues(direction, state)) return confirmed
    const likely = unconfirmed.find(({ op }) => mayCause(op, state))
    if (likely === undefined) return confirmed ?? GATEWAY_CAUSE
    commands.running = likely
    commands.unconfirmed = unconfirmed.slice(0, unconfirmed.indexOf(likely) + 1)
    return likely.cause
  }

  /** Takes every confirmed state with its trigger. */
  observe(key: DeviceKey, state: DeviceState, trigger: ChangeTrigger): void {
    const commands = this.#commands.get(key)
    if (commands === undefined) return
    const direction = directionOf(state)
    if (trigger === 'command') commands.direction = direction
    // A repeated read shows the direction, but not its cause.
    else if (trigger !== 'sync' || direction !== commands.direction) commands.direction = null
  }

  keepOnly(isKnown: (key: DeviceKey) => boolean): void {
    for (const key of this.#commands.keys()) if (!isKnown(key)) this.#commands.delete(key)
  }
}

/** True if a device still moves in this direction or has reached its end. */
function continues(direction: Move | null, state: DeviceState): boolean {
  const now = directionOf(state)
  return direction !== null && (now === null || now === direction)
}

/** Null: the device does not move, or never does. */
function directionOf(state: DeviceState): Move | null {
  return 'move' in state && isMoving(state) ? state.move : null
}

/** True if an operation can bring a device into a state. */
function mayCause(op: Op, state: DeviceState): boolean {
  const opens = 'move' in state ? state.move === 'opening' : 'locked' in state && !state.locked
  const closes = 'move' in state ? state.move === 'closing' : 'locked' in state && state.locked
  if (op === 'open') return !closes
  if (op === 'close') return !opens
  return op !== 'stop' || !(opens || closes)
}
