import { type DeviceKey, deviceKey } from '../home/model/device.ts'
import type { THING_KINDS } from '../home/model/house.ts'

/**
 * Client ids (Spec 2.2). Every id starts with the gateway and the integration, so an id means nothing to another
 * integration. Rooms and floors have the form of scenes (docs/decisions/ids.md).
 */
export interface IdForm {
  unit(unit: string): string
  gang(unit: string, gang: number): string
  device(key: DeviceKey): string
  of(kind: ThingKind, id: string): string
  /** Local id of a client id of this kind; null for another integration's id or another form. */
  local(kind: ThingKind, id: string): string | null
}

export type ThingKind = (typeof THING_KINDS)[number]

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
