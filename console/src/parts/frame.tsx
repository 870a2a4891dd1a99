import type { ComponentChildren, JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { connected, house, signOut } from '../stores/home.ts'
import { confirmations, requests } from '../stores/waiting.ts'
import { words } from '../words/frame.ts'
import { ProofDialog } from './proof-dialog.tsx'

const APPROVALS = '/console/approvals'

/** The places of the console, in their order. */
const PLACES = [
  { path: '/console/', name: words.home },
  { path: '/console/activity', name: words.activity },
  { path: '/console/access', name: words.access },
  { path: APPROVALS, name: words.approvals },
  { path: '/console/system', name: words.system },
] as const

/** What stands around every page: the home's name, the places, and what holds for all of them. */
export function Frame({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <>
      <a class="skip" href="#page">
        {words.skipToPage}
      </a>
      <header class="top">
        <span class="house">{house.value?.house ?? ''}</span>
        <button type="button" onClick={() => void signOut()}>
          {words.signOut}
        </button>
      </header>
      <Places />
      {!connected.value && (
        <p class="banner" role="status">
          {words.offline}
        </p>
      )}
      <div id="page" tabIndex={-1}>
        {children}
      </div>
      <ProofDialog />
    </>
  )
}

/** How many wait for a person's word; nothing where nobody does. */
function Waiting(): JSX.Element | null {
  const count = requests.value.length + confirmations.value.length
  return count === 0 ? null : <span class="count">{count}</span>
}

function Places(): JSX.Element {
  const { path } = useLocation()
  const isHere = (place: string): boolean =>
    place === '/console/' ? path === place || path === '/console/home' : path.startsWith(place)
  return (
    <nav class="places" aria-label={words.places}>
      {PLACES.map(({ path: place, name }) => (
        <a key={place} href={place} aria-current={isHere(place) ? 'page' : undefined}>
          {name}
          {place === APPROVALS && <Waiting />}
        </a>
      ))}
    </nav>
  )
}
