import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useMemo } from 'preact/hooks'
import { devicePath, localIdOf } from '../../lib/addresses.ts'
import { Empty, LinkButton, Page } from '../../parts/page.tsx'
import { localDevices } from '../../stores/local-devices.ts'
import { words as frame } from '../../words/frame.ts'
import { words } from '../../words/go.ts'

/** Leads on to the place that an error or a read-only setting means: `go/{appAction}?integration=…&device=…`. */
export function GoPage({ appAction = '' }: { readonly appAction?: string }): JSX.Element {
  const { query, route } = useLocation()
  // The address changes before the place is loaded, and this page stays until then: what the link named holds.
  const place = useMemo(() => placeOf(appAction, query), [appAction])
  useEffect(() => {
    if (place !== null) route(place, true)
  }, [place])
  if (place !== null) return <p class="wait">{frame.loading}</p>
  return (
    <Page title={words.title}>
      <Empty icon="alert" sentence={words.nowhere}>
        <LinkButton to="/console/" says={frame.toHome} />
      </Empty>
    </Page>
  )
}

/** What a link of `/console/go/…` names beside the action: an integration by its id, a device by one of its ids. */
type Meant = Readonly<Record<string, string>>

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
function placeOf(appAction: string, meant: Meant): string | null {
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
