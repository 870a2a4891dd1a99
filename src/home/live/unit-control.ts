import { type Result, fail, ok } from '../../lib/result.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Device, House } from '../house/house.ts'
import { type Cause, requesterOf } from '../model/events.ts'
import { type DeviceKey, lacksOperation, possibleOperations, type DeviceState } from '../model/device.ts'
import { isSameUnit } from '../model/house.ts'
import type { ActivityLog } from '../ports/activity-log.ts'
import type {
  Blinking,
  Control,
  ControlFailure,
  ControlItem,
  BatchItem,
  BusFailure,
  Priority,
  UnitTarget,
  UnitBus,
} from '../ports/unit-bus.ts'
import { conflictDetail, conflictingClass } from '../house/placing.ts'
import type { LiveHome } from './live-home.ts'
import { commandWords, failureWords } from '../words/commands.ts'

interface UnitControlParts {
  readonly house: House
  readonly live: LiveHome
  readonly bus: UnitBus
  readonly activity: ActivityLog
  readonly clock: Clock
}

/** Moves units: a confirmed state is cached, recorded with its cause and emitted; a failure is recorded as failed. */
export class UnitControl implements Control, Blinking {
  readonly #parts: UnitControlParts

  constructor(parts: UnitControlParts) {
    this.#parts = parts
  }

  obstacle(item: ControlItem): ControlFailure | null {
    const target = this.#target(item)
    return target.ok ? this.#parts.bus.obstacle(target.value) : target.error
  }

  async perform(item: ControlItem, cause: Cause, priority: Priority): Promise<Result<DeviceState, ControlFailure>> {
    const target = this.#target(item)
    if (!target.ok) return this.#failed(item, target.error, cause)
    const before = this.#parts.house.devices.get(item.device)
    this.#parts.live.commands.sent(item.device, cause, item.command.op)
    const answer = await this.#parts.bus.control(target.value, item.command, priority, requesterOf(cause))
    return this.#settle(item, this.#ofSameUnit(before, answer), cause)
  }

  async performMany(
    items: readonly BatchItem[],
    cause: Cause,
    priority: Priority,
  ): Promise<readonly Result<DeviceState, ControlFailure>[]> {
    const targets = items.map((item) => this.#target(item))
    const before = items.map((item) => this.#parts.house.devices.get(item.device))
    const sendable = items.flatMap((item, index) => {
      const target = targets[index]
      if (!target?.ok) return []
      this.#parts.live.commands.sent(item.device, item.cause ?? cause, item.command.op)
      return [{ target: target.value, command: item.command }]
    })
    const answers = (await this.#parts.bus.controlGroup(sendable, priority, requesterOf(cause))).values()
    return items.map((item, index) => {
      const target = targets[index]
      const itemCause = item.cause ?? cause
      if (target && !target.ok) return this.#failed(item, target.error, itemCause)
      const answer = answers.next().value ?? fail({ kind: 'no_answer' as const })
      return this.#settle(item, this.#ofSameUnit(before[index], answer), itemCause)
    })
  }

  async identify(key: DeviceKey, seconds: number, cause: Cause): Promise<Result<null, ControlFailure>> {
    const device = this.#device(key)
    if (!device.ok) return device
    if (!this.#parts.live.capabilities(key).includes('identify')) return fail({ kind: 'not_offered' })
    const answer = await this.#parts.bus.identify(targetOf(device.value), seconds, requesterOf(cause))
    return this.#ofSameUnit(device.value, answer)
  }

  #target(item: ControlItem): Result<UnitTarget, ControlFailure> {
    const device = this.#device(item.device)
    if (!device.ok) return device
    const { op } = item.command
    // `set_temp` of a power switch depends on its climate setting: without a climate load the unit itself refuses it.
    const takes = possibleOperations(device.value.class).includes(op)
    return takes && !lacksOperation(op, this.#parts.live.capabilities(item.device))
      ? ok(targetOf(device.value))
      : fail({ kind: 'not_offered' })
  }

  /** The device, if its class matches the bus. */
  #device(key: DeviceKey): Result<Device, ControlFailure> {
    const device = this.#parts.house.devices.get(key)
    if (!device) return fail({ kind: 'not_there' })
    const busClass = conflictingClass(device, this.#parts.bus.units)
    return busClass === null ? ok(device) : fail({ kind: 'refused', detail: conflictDetail(device.class, busClass) })
  }

  /**
   * The answer, unless the device became another unit or class in the meantime. Then the old unit may have carried out
   * the command, but the new one did not answer.
   */
  #ofSameUnit<T>(before: Device | undefined, answer: Result<T, BusFailure>): Result<T, ControlFailure> {
    const { house, bus } = this.#parts
    const now = before && house.units.get(before.unit.id)
    if (before === undefined || now === undefined) return fail({ kind: 'not_there' })
    const isSame = isSameUnit(before.unit, now) && conflictingClass(before, bus.units) === null
    return isSame ? answer : fail({ kind: 'no_answer' })
  }

  #settle(
    item: ControlItem,
    answer: Result<DeviceState, ControlFailure>,
    cause: Cause,
  ): Result<DeviceState, ControlFailure> {
    const { live } = this.#parts
    if (!answer.ok) {
      if (!mayHaveRun(answer.error)) live.commands.failed(item.device, cause)
      return this.#failed(item, answer.error, cause)
    }
    live.commands.confirmed(item.device, cause)
    live.confirm(item.device, answer.value, 'command', cause)
    return answer
  }

  #failed(item: ControlItem, failure: ControlFailure, cause: Cause): Result<DeviceState, ControlFailure> {
    // Like every request over a rate limit, it gets no row: a flood would fill the log.
    if (failure.kind === 'too_many') return fail(failure)
    this.#parts.activity.record({
      at: this.#parts.clock.now(),
      kind: 'failed',
      subject: { kind: 'device', id: item.device },
      what: `${commandWords(item.command)} failed: ${failureWords(failure)}`,
      cause,
      data: { command: item.command, failure: failure.kind },
    })
    return fail(failure)
  }
}

function targetOf({ unit, gang }: Device): UnitTarget {
  return { address: unit.address, gang: gang?.gang ?? null }
}

/** True if a unit may have carried out a failed command: only its answer is missing. */
function mayHaveRun({ kind }: ControlFailure): boolean {
  return kind === 'no_answer' || kind === 'unavailable'
}
