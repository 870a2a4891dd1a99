import type { JSX } from 'preact'
import type { HmError } from '@hm-gateway/client/src/browser.ts'
import lazy from 'preact-iso/lazy'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router'
import { HomePage, PageFrame, SignInPage } from './first-load.ts'
import { Button, Empty, LinkButton, Page } from './parts/page.tsx'
import { now } from './stores/gateway-clock.ts'
import { homeTime } from './stores/home-time.ts'
import { noAccess, signOut } from './stores/home.ts'
import { isAdministrator, isSessionRead, isTablet } from './stores/own-session.ts'
import { signedIn } from './stores/session.ts'
import { words } from './words/page-frame.ts'

// Every page is a file of its own.
const DevicePage = onDemand(async () => (await import('./pages/device/index.tsx')).DevicePage)
const ActivityPage = onDemand(async () => (await import('./pages/activity/index.tsx')).ActivityPage)
const AccessPage = onDemand(async () => (await import('./pages/access/index.tsx')).AccessPage)
const ApprovalsPage = onDemand(async () => (await import('./pages/approvals/index.tsx')).ApprovalsPage)
const CalendarsPage = onDemand(async () => (await import('./pages/calendars/index.tsx')).CalendarsPage)
const MessagesPage = onDemand(async () => (await import('./pages/messages/index.tsx')).MessagesPage)
const MePage = onDemand(async () => (await import('./pages/me/index.tsx')).MePage)
const SystemPage = onDemand(async () => (await import('./pages/system/index.tsx')).SystemPage)
const RoomsPage = onDemand(async () => (await import('./pages/rooms/index.tsx')).RoomsPage)
const TrustPage = onDemand(async () => (await import('./pages/trust/index.tsx')).TrustPage)
const GoPage = onDemand(async () => (await import('./pages/go/index.tsx')).GoPage)

const TRUST = '/console/trust'

/** Shows the page of the address. Only the trust page needs no session. */
export function App(): JSX.Element {
  return (
    <LocationProvider scope="/console/">
      <Routes />
    </LocationProvider>
  )
}

function Routes(): JSX.Element {
  const { path } = useLocation()
  if (path === TRUST)
    return (
      <Router>
        <Route path={TRUST} component={TrustPage} />
        <Route default component={NotFound} />
      </Router>
    )
  if (noAccess.value !== null) return <NoAccess refusal={noAccess.value} />
  if (signedIn.value === null) return <p class="wait">{words.loading}</p>
  if (!signedIn.value) return <SignInPage />
  return <PageFrame>{isDecodable(path) ? <SignedInRoutes /> : <NotFound />}</PageFrame>
}

function SignedInRoutes(): JSX.Element | null {
  if (!isSessionRead.value) return null
  return (
    <Router>
      {Object.entries(pagesNow()).map(([path, component]) => (
        <Route key={path} path={`/console/${path}`} component={component} />
      ))}
      <Route default component={NotFound} />
    </Router>
  )
}

/** Pages of a wall tablet. The page of a device belongs to Home. */
const TABLET_PAGES = { '': HomePage, home: HomePage, 'device/:id': DevicePage, messages: MessagesPage }
/** Pages that need only the own view of the home and the own account. */
const MEMBER_PAGES = {
  ...TABLET_PAGES,
  activity: ActivityPage,
  approvals: ApprovalsPage,
  me: MePage,
  'go/:appAction': GoPage,
}
const ALL_PAGES = {
  ...MEMBER_PAGES,
  'access/:integration?': AccessPage,
  calendars: CalendarsPage,
  'system/:part?': SystemPage,
  rooms: RoomsPage,
}

/** Named parts of a page's path. */
interface PathParts {
  readonly id: string
  readonly integration: string
  readonly part: string
  readonly appAction: string
}

function pagesNow(): Readonly<Record<string, (props: PathParts) => JSX.Element>> {
  if (isAdministrator.value) return ALL_PAGES
  return isTablet.value ? TABLET_PAGES : MEMBER_PAGES
}

/** Shown to a member whose access is closed now; the home appears as soon as it opens. */
function NoAccess({ refusal: { message, retryAfter } }: { readonly refusal: HmError }): JSX.Element {
  const opensAt = retryAfter === null ? null : homeTime(now.peek() + retryAfter * 1_000)
  return (
    <div class="sign-in">
      <Page title={words.noAccess}>
        <Empty icon="clock" sentence={opensAt === null ? message : words.accessAgain(opensAt)}>
          {!isTablet.value && <Button label={words.signOut} onClick={() => void signOut()} />}
        </Empty>
      </Page>
    </div>
  )
}

/** False for malformed percent escapes, which make the router throw. */
function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

/** Loads a page on demand, and shows an error page if that fails. */
function onDemand<Props>(load: () => Promise<(props: Props) => JSX.Element>): (props: Props) => JSX.Element {
  return lazy<(props: Props) => JSX.Element>(() => load().catch(() => NotLoaded))
}

/** A reload helps after an update, which renames the files, and against cached failures. */
function NotLoaded(): JSX.Element {
  return (
    <Page title={words.notLoaded}>
      <p>{words.aboutNotLoaded}</p>
      <div class="actions">
        <Button class="main" label={words.reload} onClick={() => location.reload()} />
      </div>
    </Page>
  )
}

function NotFound(): JSX.Element {
  return (
    <Page title={words.notFound}>
      <Empty icon="search" sentence={words.notFoundAbout}>
        <LinkButton to="/console/" label={words.toHome} />
      </Empty>
    </Page>
  )
}
