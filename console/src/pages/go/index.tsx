import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useMemo } from 'preact/hooks'
import { placeOf } from '../../app-places.ts'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
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
        <a class="button" href="/console/">
          {frame.toHome}
        </a>
      </Empty>
    </Page>
  )
}
