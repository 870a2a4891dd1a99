import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useRef } from 'preact/hooks'
import { devicePath } from '../lib/addresses.ts'
import { ownDeviceUnasked } from '../stores/arrival.ts'
import { floors } from '../stores/floors.ts'
import { connected, deviceOf, house, signOut } from '../stores/home.ts'
import { dismiss, hold, notice, resume, tell } from '../stores/notices.ts'
import { comesBack, isPersonRead, person, session, setOwnDevice } from '../stores/person.ts'
import { statusAt } from '../stores/pushed.ts'
import { type Alarm, alarms } from '../stores/readings.ts'
import { confirmations, requests } from '../stores/waiting.ts'
import { words as device } from '../words/device.ts'
import { words as entry } from '../words/entry.ts'
import { words } from '../words/frame.ts'
import { sentenceOf, Told, useAction } from './action.tsx'
import { alarmIcon } from './device-icon.ts'
import { NoticeLine } from './dialog.tsx'
import type { IconName } from './icons.ts'
import { Age, Button, Chip, Icon, LinkButton } from './page.tsx'
import { ProofDialog } from './proof-dialog.tsx'
import { Search } from './search.tsx'
import { TrustChip } from './trust-chip.tsx'
import { WaitingBanner } from './waiting-banner.tsx'

/** The places of the console, in their order; what waits for a word is in the header. */
const PLACES: readonly { path: string; name: string; icon: IconName }[] = [
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

/** The header: whose home it is, whether what is shown is live, what waits for a word, and who is here. */
function Top(): JSX.Element {
  return (
    <header class="top">
      <a class="house" href="/console/" dir="auto" title={house.value?.house}>
        {house.value?.house ?? ''}
      </a>
      <Search />
      <TrustChip quiet />
      {connected.value ? (
        <span class="live">{words.live}</span>
      ) : (
        <Chip tone="danger" icon="unreachable" says={words.notLive} />
      )}
      <Waiting />
      <Person />
    </header>
  )
}

/** How many wait for a person's word. */
function Waiting(): JSX.Element {
  const count = requests.value.length + confirmations.value.length
  return (
    <a class="round" href="/console/approvals" aria-label={words.waiting(count)}>
      <Icon of="waiting" />
      {count > 0 && <span class="count">{count}</span>}
    </a>
  )
}

function Person(): JSX.Element {
  const name = person.value ?? ''
  const menu = useRef<HTMLDivElement>(null)
  return (
    <>
      <Button class="quiet round" icon="person" popovertarget="person" aria-label={words.person(name)} />
      <div ref={menu} id="person" class="menu" popover="auto" onClick={() => menu.current?.hidePopover()}>
        <p>{name}</p>
        <a href="/console/system/sessions">
          <Icon of="phone" />
          {words.sessions}
        </a>
        <Button icon="signOut" says={words.signOut} onClick={() => void signOut()} />
      </div>
    </>
  )
}

/** Names every alarm of the home on every page until the unit reports its end. */
function AlarmBanner(): JSX.Element {
  const more = alarms.value.length - SHOWN_MAX
  return (
    <div role="alert">
      {alarms.value.slice(0, SHOWN_MAX).map((alarm) => (
        <AlarmLine key={`${alarm.kind} ${alarm.id}`} {...alarm} />
      ))}
      {more > 0 && <p class="banner alarm">{device.moreAlarms(more)}</p>}
    </div>
  )
}

/** More would push the page away. */
const SHOWN_MAX = 5

function AlarmLine({ id, kind }: Alarm): JSX.Element | null {
  const shown = deviceOf(id).value
  if (shown === null) return null
  const rooms = floors.value.flatMap((floor) => floor.rooms)
  const room = rooms.find((each) => each.devices.some((one) => one.id === id))
  return (
    <p class="banner alarm">
      <Icon of={alarmIcon(kind)} />
      <strong>{device.alarms[kind]}</strong>
      <a href={devicePath(id)} dir="auto">
        {room ? device.deviceIn(shown.name, room.name) : shown.name}
      </a>
    </p>
  )
}

/** Kept for this window, so that nobody is asked twice. */
const LATER = 'hm-later'

/**
 * Asks who came in by a link for a name, which may wait; and who has one for a password or a passkey, until there is
 * one: without them nobody comes back.
 */
function NamelessBanner(): JSX.Element | null {
  const later = useSignal(sessionStorage.getItem(LATER) !== null)
  if (session.value === null || comesBack.value) return null
  const isNameless = session.value.person === null
  if (isNameless && later.value) return null
  return (
    <section class="banner nameless" aria-label={isNameless ? entry.giveName : entry.wayBack}>
      <Icon of="person" />
      <span class="grow">{entry.noWayBack}</span>
      <LinkButton to="/console/system/persons" says={isNameless ? entry.giveName : entry.setWayBack} />
      {isNameless && (
        <Button
          class="quiet round"
          icon="close"
          aria-label={entry.later}
          title={entry.later}
          onClick={() => {
            sessionStorage.setItem(LATER, 'yes')
            later.value = true
          }}
        />
      )}
    </section>
  )
}

/** Asks who came in by a link in the address, where nobody was asked, whether this is a device of their own. */
function OwnDeviceBanner(): JSX.Element | null {
  const { run, busy, said } = useAction(async () => {
    await setOwnDevice(true)
    ownDeviceUnasked.value = false
  })
  // Whoever has no name yet is asked for both at once.
  if (!ownDeviceUnasked.value || session.value === null || session.value.person === null) return null
  return (
    <section class="banner own" aria-label={entry.staySignedIn}>
      <Icon of="phone" />
      <span class="grow">{said ?? entry.isOwnDevice}</span>
      <Button says={entry.staySignedIn} aria-disabled={busy} onClick={() => void run()} />
      <Button class="quiet" says={entry.notOwnDevice} onClick={() => (ownDeviceUnasked.value = false)} />
    </section>
  )
}

/** What was done, at the foot of the page, with the way back. */
function Toast(): JSX.Element | null {
  const told = notice.value
  if (told === null) return null
  const undo = async (): Promise<void> => {
    dismiss()
    try {
      await told.undo?.()
    } catch (error) {
      tell(sentenceOf(error))
    }
  }
  return (
    <section
      class="toast"
      aria-label={words.done}
      onPointerEnter={hold}
      onPointerLeave={resume}
      onFocusIn={hold}
      onFocusOut={resume}
    >
      <p>
        <Told>{told.text}</Told>
      </p>
      {told.undo && <Button class="quiet" icon="undo" says={words.undo} onClick={() => void undo()} />}
      <Button class="quiet round" icon="close" aria-label={words.close} onClick={dismiss} />
    </section>
  )
}
