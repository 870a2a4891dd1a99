import type { ComponentChildren, JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { connected } from '../stores/home.ts'
import { words } from '../words/frame.ts'
import { isPersonRead } from '../stores/person.ts'
import { statusAt } from '../stores/pushed.ts'
import { Age } from './age.tsx'
import { AlarmBanner } from './alarm-banner.tsx'
import { NoticeLine } from './announcements.tsx'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'
import { NamelessBanner } from './nameless-banner.tsx'
import { OwnDeviceBanner } from './own-device-banner.tsx'
import { ProofDialog } from './proof-dialog.tsx'
import { Toast } from './toast.tsx'
import { Top } from './top.tsx'
import { WaitingBanner } from './waiting-banner.tsx'

interface Place {
  readonly path: string
  readonly name: string
  readonly icon: IconName
}

/** The places of the console, in their order; what waits for a word is in the header. */
const PLACES: readonly Place[] = [
  { path: '/console/', name: words.home, icon: 'home' },
  { path: '/console/activity', name: words.activity, icon: 'activity' },
  { path: '/console/rooms', name: words.rooms, icon: 'rooms' },
  { path: '/console/access', name: words.access, icon: 'key' },
  { path: '/console/system', name: words.system, icon: 'settings' },
]

/** What stands around every page: the home's name, the places, and what holds for all of them. */
export function Frame({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="frame">
      <a class="skip" href="#page">
        {words.skipToPage}
      </a>
      <Top />
      <Places />
      <div id="page" tabIndex={-1}>
        <div class="dock">
          <AlarmBanner />
          {!connected.value && <Offline />}
          <WaitingBanner />
        </div>
        <NamelessBanner />
        <OwnDeviceBanner />
        {isPersonRead.value ? children : <p class="wait">{words.loading}</p>}
      </div>
      <Toast />
      <NoticeLine />
      <ProofDialog />
    </div>
  )
}

/** What is shown is as old as the last word of the gateway. */
const Offline = (): JSX.Element => (
  <section class="banner" aria-label={words.notLive}>
    <Icon of="unreachable" />
    <span>
      {words.offline}
      {statusAt.value !== null && (
        <>
          {' '}
          {words.heardLast} <Age at={statusAt.value} />.
        </>
      )}
    </span>
  </section>
)

function Places(): JSX.Element {
  const { path } = useLocation()
  return (
    <nav class="places" aria-label={words.places}>
      {PLACES.map((place) => (
        <a key={place.path} href={place.path} aria-current={isAt(path, place.path) ? 'page' : undefined}>
          <Icon of={place.icon} />
          {place.name}
        </a>
      ))}
    </nav>
  )
}

/** Home is where the devices are. The router takes the slash off the end of a path. */
function isAt(path: string, place: string): boolean {
  if (place !== '/console/') return path.startsWith(place)
  return path === '/console' || path === '/console/home' || path.startsWith('/console/device/')
}
