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

/** The principal of a step who may not open, and the reason. */
export interface RefusedOpening {
  readonly principal: Principal
  readonly refusal: OpeningRefusal
}

/**
 * Checks at each step that opens a lock or gate whether all principals of the run may open it now: a permission that
 * ended while the run waited does not count (docs/automations.md#whose-leave-counts).
 */
export class OpeningCheck {
  readonly #parts: OpeningCheckParts

  constructor(parts: OpeningCheckParts) {
    this.#parts = parts
  }

  /** True if the item opens a lock or gate. */
  opens({ device, command }: ControlItem): boolean {
    const deviceClass = this.#parts.classOf(device)
    return deviceClass !== undefined && opensEntrance(deviceClass, command.op)
  }

  /** The first principal who may not open now, if the item opens; null if it is allowed. */
  refusalOf(item: ControlItem, principals: readonly Principal[]): RefusedOpening | null {
    if (!this.opens(item)) return null
    for (const principal of principals) {
      const refusal = this.#parts.opening.refusalOf(principal)
      if (refusal !== null) return { principal, refusal }
    }
    return null
  }

  /** False if the item opens and a principal may not; the refusal is recorded. */
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

/** Principals of an author. An administrator's rule has none: it is always allowed. */
export function principalsOf(author: Author): readonly Principal[] {
  return author === null ? [] : [author]
}

/** The author of a rule with these principals. */
export function authorOf([author]: readonly Principal[]): Author {
  return author ?? null
}

/** Principals of a scene's steps: their author and the requesters. */
export function scenePrincipals(
  { author }: Pick<Scene, 'author'>,
  requesters: readonly Principal[],
): readonly Principal[] {
  return [...principalsOf(author), ...requesters]
}

/** The API credential that requested a run; empty for a person in the home. */
export function requestersOf({ integration, link, confirmedBy }: Cause): readonly Principal[] {
  if (integration === undefined) return []
  return [{ integration, link: link ?? '', ...(confirmedBy === undefined ? {} : { confirmedBy }) }]
}
