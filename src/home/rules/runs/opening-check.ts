import type { Clock } from '../../../lib/clock.ts'
import type { Cause } from '../../model/cause.ts'
import { type DeviceClass, type DeviceKey, opensEntrance } from '../../model/device.ts'
import type { Author } from '../../model/house.ts'
import type { ActivityLog } from '../../ports/activity-log.ts'
import type { ControlItem } from '../../ports/control.ts'
import type { OpeningPolicy, Principal } from '../../ports/opening-policy.ts'
import { commandWords, openingRefusalWords } from '../../words/commands.ts'

export interface OpeningCheckParts {
  readonly opening: OpeningPolicy
  readonly classOf: (device: DeviceKey) => DeviceClass | undefined
  readonly activity: ActivityLog
  readonly clock: Clock
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

  /** False, and recorded, where the item opens and one of the principals may not. */
  allows({ device, command }: ControlItem, principals: readonly Principal[], cause: Cause): boolean {
    const { opening, classOf, activity, clock } = this.#parts
    const deviceClass = classOf(device)
    if (deviceClass === undefined || !opensEntrance(deviceClass, command.op)) return true
    for (const principal of principals) {
      const refusal = opening.refusalOf(principal)
      if (refusal === null) continue
      const { integration, link } = principal
      activity.record({
        at: clock.now(),
        kind: 'refused',
        subject: { kind: 'device', id: device },
        what: `${commandWords(command)} refused: ${openingRefusalWords(refusal)}`,
        cause,
        data: { command, refusal, integration, link },
      })
      return false
    }
    return true
  }
}

/** The principal of what an administrator saved is nobody: it is always allowed. */
export function principalsOf(author: Author): readonly Principal[] {
  return author === null ? [] : [author]
}

/** Who asked for a run through the API; nobody where a person of the home did. */
export function askerOf({ integration, link, confirmedBy }: Cause): readonly Principal[] {
  if (integration === undefined) return []
  return [{ integration, link: link ?? '', ...(confirmedBy === undefined ? {} : { confirmedBy }) }]
}
