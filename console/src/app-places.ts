import { devicePath, localIdOf } from './device-path.ts'
import { localDevices } from './stores/local-devices.ts'

/** What a link of `/console/go/…` names beside the action: an integration by its id, a device by one of its ids. */
export type Meant = Readonly<Record<string, string>>

const APPROVALS = '/console/approvals'

/** The place of the console that each appAction of the service means (docs/console.md#places); null: none any more. */
const PLACES: Readonly<Record<string, (meant: Meant) => string | null>> = {
  'integrations.record': (meant) => `/console/access${segment(integrationOf(meant))}`,
  'integrations.approve': () => APPROVALS,
  'integrations.confirm': () => APPROVALS,
  rooms: () => '/console/rooms',
  'unit.menus': ({ device }) => (device === undefined ? '/console/' : settingsOf(device)),
}

/** Where an appAction leads; null where to nowhere that there is. */
export function placeOf(appAction: string, meant: Meant): string | null {
  return (Object.hasOwn(PLACES, appAction) && PLACES[appAction]?.(meant)) || null
}

/** The integration that is named, or the one in whose view a device has its id (docs/decisions/ids.md). */
function integrationOf({ integration, device = '' }: Meant): string | undefined {
  const [, record] = device.split(':')
  return integration ?? (device.split(':').length > 2 ? record : undefined)
}

/** A program's id of a device is another than the owner's; the local id behind both is the same. */
function settingsOf(device: string): string | null {
  const known = localDevices.value.get(device.split(':').length > 2 ? localIdOf(device) : device)
  return known ? `${devicePath(known.id)}#settings` : null
}

const segment = (id: string | undefined): string => (id === undefined ? '' : `/${encodeURIComponent(id)}`)
