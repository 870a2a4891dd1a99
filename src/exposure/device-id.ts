import { type DeviceKey, deviceKey } from '../home/model/device.ts'

/**
 * Ids as clients see them (Spec 2.2). Every id starts with the gateway and the integration, so that an id of one
 * integration means nothing to another; rooms and floors follow the same form as scenes (docs/decisions/ids.md).
 */
export interface IdForm {
  unit(unit: string): string
  gang(unit: string, gang: number): string
  device(key: DeviceKey): string
  of(kind: ThingKind, id: string): string
  /** The local id behind an id of this kind, or null where it is another's or of another form. */
  local(kind: ThingKind, id: string): string | null
}

export type ThingKind = 'scene' | 'room' | 'floor' | 'automation' | 'schedule'

export function idForm(gateway: string, integration: string): IdForm {
  const prefix = `${gateway}:${integration}:`
  return {
    unit: (unit) => prefix + unit,
    gang: (unit, gang) => prefix + deviceKey({ unit, gang }),
    device: (key) => prefix + key,
    of: (kind, id) => `${prefix}${kind}:${id}`,
    local: (kind, id) => (id.startsWith(`${prefix}${kind}:`) ? id.slice(prefix.length + kind.length + 1) : null),
  }
}

/** Words that an id's third part may be besides a unit; so no unit may be called this. */
export const RESERVED_UNIT_IDS: ReadonlySet<string> = new Set(['scene', 'room', 'floor', 'automation', 'schedule'])
