import type { Clock } from '../../../lib/clock.ts'
import type { Cause } from '../../model/events.ts'
import { type DeviceClass, type DeviceKey, opensEntrance } from '../../model/device.ts'
import type { Author, Scene } from '../../model/house.ts'
import type { ActivityLog } from '../../ports/activity-log.ts'
import type { ControlItem, OpeningPolicy, OpeningRefusal, Principal } from '../../ports/unit-bus.ts'
import { commandWords, OPENING_REFUSAL_WORDS } from '../../words/commands.ts'

export interface OpeningCheckParts {
  readonly opening: OpeningPolicy
  readonly classOf: (device: DeviceKey) => DeviceClass | undefined
  readonly activity: ActivityLog
  readonly clock: Clock
}

/** Who of those behind a step may not open, and why. */
export interface RefusedOpening {
  readonly principal: Principal
  readonly refusal: OpeningRefusal
}

/**
 * Asks at each step that opens a lock or gate whether everybody on whose authority the run goes may open now: leave
 * that ended while the run waited counts no more (docs/automations.md#whose-leave-counts).
 */
export class OpeningCheck {
  readonly #parts: OpeningCheckParts

  constructor(parts: OpeningCheckParts) {
    this.#parts = parts
  }

  /** Whether the item opens a lock or gate. */
  opens({ device, command }: ControlItem): boolean {
    const deviceClass = this.#parts.classOf(device)
    return deviceClass !== undefined && opensEntrance(deviceClass, command.op)
  }

  /** The first of the principals who may not open now, where the item opens; null where it may be made. */
  refusalOf(item: ControlItem, principals: readonly Principal[]): RefusedOpening | null {
    if (!this.opens(item)) return null
    for (const principal of principals) {
      const refusal = this.#parts.opening.refusalOf(principal)
      if (refusal !== null) return { principal, refusal }
    }
    return null
  }

  /** False, and recorded, where the item opens and one of the principals may not. */
  allows(item: ControlItem, principals: readonly Principal[], cause: Cause): boolean {
    const refused = this.refusalOf(item, principals)
    if (refused === null) return true
    const { device, command } = item
    const { principal, refusal } = refused
    const { integration, link } = principal
    this.#parts.activity.record({
      at: this.#parts.clock.now(),
      kind: 'refused',
      subject: { kind: 'device', id: device },
      what: `${commandWords(command)} refused: ${OPENING_REFUSAL_WORDS[refusal]}`,
      cause,
      data: { command, refusal, integration, link },
    })
    return false
  }
}

/** The principal of what an administrator saved is nobody: it is always allowed. */
export function principalsOf(author: Author): readonly Principal[] {
  return author === null ? [] : [author]
}

/** Everybody behind the steps of a scene: who saved them, and those on whose authority it runs. */
export function behindScene({ author }: Pick<Scene, 'author'>, asking: readonly Principal[]): readonly Principal[] {
  return [...principalsOf(author), ...asking]
}

/** Who asked for a run through the API; nobody where a person of the home did. */
export function askerOf({ integration, link, confirmedBy }: Cause): readonly Principal[] {
  if (integration === undefined) return []
  return [{ integration, link: link ?? '', ...(confirmedBy === undefined ? {} : { confirmedBy }) }]
}
