import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useRef } from 'preact/hooks'
import { devicePath } from '../lib/page-paths.ts'
import { mustAskOwnDevice } from '../stores/start-session.ts'
import { floors } from '../stores/floors.ts'
import { connected, deviceOf, house, signOut } from '../stores/home.ts'
import { dismissNotice, notice, pauseNotice, resumeNotice, showNotice } from '../stores/page-notices.ts'
import {
  canSignInAgain,
  isAdministrator,
  mayHaveAgents,
  isSessionRead,
  isTablet,
  personName,
  session,
  setOwnDevice,
} from '../stores/own-session.ts'
import { statusAt } from '../stores/admin-topics.ts'
import { type Alarm, alarms } from '../stores/readings.ts'
import { confirmations, requests } from '../stores/approvals.ts'
import { words as device } from '../words/device.ts'
import { words as entry } from '../words/entry.ts'
import { words as me } from '../words/me.ts'
import { words as messages } from '../words/messages.ts'
import { words } from '../words/page-frame.ts'
import { errorMessage, Sentence, useAction } from './action.tsx'
import { ApprovalsBanner } from './approvals-banner.tsx'
import { alarmIcon } from './device-icon.ts'
import { NoticeStatus } from './dialog.tsx'
import type { IconName } from './icons.ts'
import { AcknowledgeButton, messageOf, MessagesBanner } from './messages-banner.tsx'
import { Age, Button, Chip, Icon, LinkButton } from './page.tsx'
import { ProofDialog } from './proof-dialog.tsx'
import { Search } from './search.tsx'
import { TrustChip } from './trust-chip.tsx'

const ME = '/console/me'

interface Place {
  readonly path: string
  readonly name: string
  readonly icon: IconName
}

/** Main navigation of a member. */
const MEMBER_PLACES: readonly Place[] = [
  { path: '/console/', name: words.home, icon: 'home' },
  { path: '/console/activity', name: words.activity, icon: 'activity' },
  { path: '/console/messages', name: messages.title, icon: 'alert' },
  { path: ME, name: me.place, icon: 'person' },
]

/** Main navigation of a wall tablet, which has no account. */
const TABLET_PLACES = MEMBER_PLACES.filter(({ name }) => name === words.home || name === messages.title)

/** Main navigation of an administrator. Approvals have their own button in the header. */
const PLACES: readonly Place[] = [
  { path: '/console/', name: words.home, icon: 'home' },
  { path: '/console/activity', name: words.activity, icon: 'activity' },
  { path: '/console/rooms', name: words.rooms, icon: 'rooms' },
  { path: '/console/access', name: words.access, icon: 'key' },
  { path: '/console/system', name: words.system, icon: 'settings' },
]

/** Frame of every page: header, navigation, banners and notices. */
export function PageFrame({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class={isTablet.value ? 'frame wall' : 'frame'}>
      <a class="skip" href="#page">
        {words.skipToPage}
      </a>
      <Top />
      <Places />
      <div id="page" tabIndex={-1}>
        <div class="dock">
          <AlarmBanner />
          <MessagesBanner />
          {!connected.value && <Offline />}
          <ApprovalsBanner />
        </div>
        <NamelessBanner />
        <OwnDeviceBanner />
        {isSessionRead.value ? children : <p class="wait">{words.loading}</p>}
      </div>
      <Toast />
      <NoticeStatus />
      <ProofDialog />
    </div>
  )
}

/** Banner with the age of the data while the connection is down. */
const Offline = (): JSX.Element => (
  <section class="banner" aria-label={words.notLive}>
    <Icon name="unreachable" />
    <span>
      {words.offline}
      {statusAt.value !== null && (
        <>
          {' '}
          {words.lastHeard} <Age at={statusAt.value} />.
        </>
      )}
    </span>
  </section>
)

function placesOf(): readonly Place[] {
  if (isAdministrator.value) return PLACES
  return isTablet.value ? TABLET_PLACES : MEMBER_PLACES
}

function Places(): JSX.Element {
  const { path } = useLocation()
  return (
    <nav class="places" aria-label={words.places}>
      {placesOf().map((place) => (
        <a key={place.path} href={place.path} aria-current={isAt(path, place.path) ? 'page' : undefined}>
          <Icon name={place.icon} />
          {place.name}
        </a>
      ))}
    </nav>
  )
}

/** Device pages belong to Home. The router removes the slash at the end of a path. */
function isAt(path: string, place: string): boolean {
  if (place !== '/console/') return path.startsWith(place)
  return path === '/console' || path === '/console/home' || path.startsWith('/console/device/')
}

/** Header with the home's name, search, connection, approvals and the person's menu. */
function Top(): JSX.Element {
  return (
    <header class="top">
      <a class="house" href="/console/" dir="auto" title={house.value?.house}>
        {house.value?.house ?? ''}
      </a>
      {!isTablet.value && <Search />}
      <TrustChip quiet />
      {connected.value ? (
        <span class="live">{words.live}</span>
      ) : (
        <Chip tone="danger" icon="unreachable" label={words.notLive} />
      )}
      {(isAdministrator.value || mayHaveAgents.value) && <ApprovalsButton />}
      {!isTablet.value && <PersonMenu />}
    </header>
  )
}

function ApprovalsButton(): JSX.Element {
  const count = requests.value.length + confirmations.value.length
  return (
    <a class="round" href="/console/approvals" aria-label={words.waiting(count)}>
      <Icon name="waiting" />
      {count > 0 && <span class="count">{count}</span>}
    </a>
  )
}

function PersonMenu(): JSX.Element {
  const name = personName.value ?? ''
  const menu = useRef<HTMLDivElement>(null)
  return (
    <>
      <Button class="quiet round" icon="person" popovertarget="person" aria-label={words.person(name)} />
      <div ref={menu} id="person" class="menu" popover="auto" onClick={() => menu.current?.hidePopover()}>
        <p>{name}</p>
        <a href="/console/messages">
          <Icon name="alert" />
          {messages.title}
        </a>
        {session.value?.person !== null && (
          <a href={ME}>
            <Icon name="person" />
            {me.title}
          </a>
        )}
        {isAdministrator.value && (
          <>
            <a href="/console/calendars">
              <Icon name="calendar" />
              {words.calendars}
            </a>
            <a href="/console/system/sessions">
              <Icon name="phone" />
              {words.sessions}
            </a>
          </>
        )}
        <Button icon="signOut" label={words.signOut} onClick={() => void signOut()} />
      </div>
    </>
  )
}

/** Lists current alarms on every page. */
function AlarmBanner(): JSX.Element {
  const more = alarms.value.length - ALARMS_MAX
  return (
    <div role="alert">
      {alarms.value.slice(0, ALARMS_MAX).map((alarm) => (
        <AlarmLine key={`${alarm.kind} ${alarm.id}`} {...alarm} />
      ))}
      {more > 0 && <p class="banner alarm">{device.moreAlarms(more)}</p>}
    </div>
  )
}

/** Longest list that leaves room for the page. */
const ALARMS_MAX = 5

function AlarmLine({ id, kind }: Alarm): JSX.Element | null {
  const source = deviceOf(id).value
  if (source === null) return null
  const message = messageOf({ id, kind })
  const rooms = floors.value.flatMap((floor) => floor.rooms)
  const room = rooms.find(({ devices }) => devices.some((placed) => placed.id === id))
  return (
    <div class="banner alarm">
      <Icon name={alarmIcon(kind)} />
      <strong>{device.alarms[kind]}</strong>
      <a class="grow" href={devicePath(id)} dir="auto">
        {room ? device.deviceIn(source.name, room.name) : source.name}
      </a>
      {message !== undefined && <AcknowledgeButton key={message.id} message={message} />}
    </div>
  )
}

/** Storage key: the person chose Later in this window. */
const LATER = 'hm-later'

/** Asks a person without a way to sign in again for an account, or for a password or passkey. An account may wait. */
function NamelessBanner(): JSX.Element | null {
  const later = useSignal(sessionStorage.getItem(LATER) !== null)
  if (session.value === null || canSignInAgain.value) return null
  const isNameless = session.value.person === null
  // A wall tablet has no person, and needs no account.
  if (isNameless && !isAdministrator.value) return null
  if (isNameless && later.value) return null
  return (
    <section class="banner nameless" aria-label={isNameless ? entry.createAccount : entry.setUp}>
      <Icon name="person" />
      <span class="grow">{isNameless ? entry.noAccount : entry.noSignInMethod}</span>
      <LinkButton
        to={isNameless ? '/console/system/persons' : ME}
        label={isNameless ? entry.createAccount : entry.setUp}
      />
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

/** Asks after a sign-in by link whether this is the person's own device. */
function OwnDeviceBanner(): JSX.Element | null {
  const { run, busy, message } = useAction(async () => {
    await setOwnDevice(true)
    mustAskOwnDevice.value = false
  })
  // The account dialog asks people without an account.
  if (!mustAskOwnDevice.value || session.value === null || session.value.person === null) return null
  return (
    <section class="banner own" aria-label={entry.staySignedIn}>
      <Icon name="phone" />
      <span class="grow">{message ?? entry.isOwnDevice}</span>
      <Button label={entry.staySignedIn} aria-disabled={busy} onClick={() => void run()} />
      <Button class="quiet" label={entry.notOwnDevice} onClick={() => (mustAskOwnDevice.value = false)} />
    </section>
  )
}

/** The notice at the foot of the page, with its Undo button. */
function Toast(): JSX.Element | null {
  const current = notice.value
  if (current === null) return null
  const undo = async (): Promise<void> => {
    dismissNotice()
    try {
      await current.undo?.()
    } catch (error) {
      showNotice(errorMessage(error))
    }
  }
  return (
    <section
      class="toast"
      aria-label={words.done}
      onPointerEnter={pauseNotice}
      onPointerLeave={resumeNotice}
      onFocusIn={pauseNotice}
      onFocusOut={resumeNotice}
    >
      <p>
        <Sentence>{current.text}</Sentence>
      </p>
      {current.undo && <Button class="quiet" icon="undo" label={words.undo} onClick={() => void undo()} />}
      <Button class="quiet round" icon="close" aria-label={words.close} onClick={dismissNotice} />
    </section>
  )
}
