import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useMemo } from 'preact/hooks'
import { devicePath, localDeviceOf } from '../../lib/page-paths.ts'
import { Empty, LinkButton, Page } from '../../parts/page.tsx'
import { isAdministrator } from '../../stores/own-session.ts'
import { localDevices } from '../../stores/local-devices.ts'
import { words as frame } from '../../words/page-frame.ts'
import { words } from '../../words/go.ts'

/** Redirects links in error messages and settings to their page: `go/{appAction}?integration=…&device=…`. */
export function GoPage({ appAction = '' }: { readonly appAction?: string }): JSX.Element {
  const { query, route } = useLocation()
  // The address changes before the next page is loaded, so the first query counts.
  const place = useMemo(() => placeOf(appAction, query), [appAction])
  useEffect(() => {
    if (place !== null) route(place, true)
  }, [place])
  if (place !== null) return <p class="wait">{frame.loading}</p>
  return (
    <Page title={words.title}>
      <Empty icon="alert" sentence={words.nowhere}>
        <LinkButton to="/console/" label={frame.toHome} />
      </Empty>
    </Page>
  )
}

/** Query of a `/console/go/…` link: an integration id, or one of a device's ids. */
type LinkQuery = Readonly<Record<string, string>>

const APPROVALS = '/console/approvals'

type Places = Readonly<Record<string, (query: LinkQuery) => string | null>>

/** Page for every appAction of the service (docs/console.md#places); null if it no longer exists. */
const ADMINISTRATORS_PLACES: Places = {
  'integrations.record': (query) => `/console/access${segment(integrationOf(query))}`,
  'integrations.approve': () => APPROVALS,
  'integrations.confirm': () => APPROVALS,
  rooms: () => '/console/rooms',
}

/** Places of members too. */
const PLACES: Places = {
  unit: ({ device }) => (device === undefined ? '/console/' : deviceOf(device)),
  'unit.menus': ({ device }) => (device === undefined ? '/console/' : settingsOf(device)),
}

/** Page for an appAction; null if there is none. */
function placeOf(appAction: string, query: LinkQuery): string | null {
  const places = isAdministrator.value ? { ...PLACES, ...ADMINISTRATORS_PLACES } : PLACES
  return (Object.hasOwn(places, appAction) && places[appAction]?.(query)) || null
}

/** The integration of the link, or the one in the device's id (docs/decisions/ids.md). */
function integrationOf({ integration, device = '' }: LinkQuery): string | undefined {
  const [, record] = device.split(':')
  return integration ?? (device.split(':').length > 2 ? record : undefined)
}

/** Programs and the owner have different ids for a device, with the same local id. */
function deviceOf(device: string): string | null {
  const known = localDevices.value.get(localDeviceOf(device))
  return known ? devicePath(known.id) : null
}

function settingsOf(device: string): string | null {
  const path = deviceOf(device)
  return path && `${path}#settings`
}

const segment = (id: string | undefined): string => (id === undefined ? '' : `/${encodeURIComponent(id)}`)
