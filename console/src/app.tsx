import type { JSX } from 'preact'
import lazy from 'preact-iso/lazy'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router'
import { Frame, HomePage, SignInPage } from './first-load.ts'
import { Button, Empty, LinkButton, Page } from './parts/page.tsx'
import { signedIn } from './stores/session.ts'
import { words } from './words/frame.ts'

// Each page is a file of its own.
const DevicePage = loaded(async () => (await import('./pages/device/index.tsx')).DevicePage)
const ActivityPage = loaded(async () => (await import('./pages/activity/index.tsx')).ActivityPage)
const AccessPage = loaded(async () => (await import('./pages/access/index.tsx')).AccessPage)
const ApprovalsPage = loaded(async () => (await import('./pages/approvals/index.tsx')).ApprovalsPage)
const SystemPage = loaded(async () => (await import('./pages/system/index.tsx')).SystemPage)
const RoomsPage = loaded(async () => (await import('./pages/rooms/index.tsx')).RoomsPage)
const TrustPage = loaded(async () => (await import('./pages/trust/index.tsx')).TrustPage)
const GoPage = loaded(async () => (await import('./pages/go/index.tsx')).GoPage)

const TRUST = '/console/trust'

/** The page that the address names, for whoever is signed in; how to trust the gateway is shown to everybody. */
export function App(): JSX.Element {
  return (
    <LocationProvider scope="/console/">
      <Doors />
    </LocationProvider>
  )
}

function Doors(): JSX.Element {
  const { path } = useLocation()
  if (path === TRUST)
    return (
      <Router>
        <Route path={TRUST} component={TrustPage} />
        <Route default component={NoPage} />
      </Router>
    )
  if (signedIn.value === null) return <p class="wait">{words.loading}</p>
  if (!signedIn.value) return <SignInPage />
  return <Frame>{isReadable(path) ? <Pages /> : <NoPage />}</Frame>
}

function Pages(): JSX.Element {
  return (
    <Router>
      <Route path="/console/" component={HomePage} />
      <Route path="/console/home" component={HomePage} />
      <Route path="/console/device/:id" component={DevicePage} />
      <Route path="/console/activity" component={ActivityPage} />
      <Route path="/console/access/:integration?" component={AccessPage} />
      <Route path="/console/approvals" component={ApprovalsPage} />
      <Route path="/console/system/:part?" component={SystemPage} />
      <Route path="/console/rooms" component={RoomsPage} />
      <Route path="/console/go/:appAction" component={GoPage} />
      <Route default component={NoPage} />
    </Router>
  )
}

/** Whether the router can read it: it throws at a percent sign that stands for nothing. */
function isReadable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

/** A page that is loaded when somebody goes there; one that cannot be had says so. */
function loaded<Props>(load: () => Promise<(props: Props) => JSX.Element>): (props: Props) => JSX.Element {
  return lazy<(props: Props) => JSX.Element>(() => load().catch(() => NotLoaded))
}

/** Browsers keep what failed, and a newer gateway has other files: only the whole console loaded anew helps. */
function NotLoaded(): JSX.Element {
  return (
    <Page title={words.notLoaded}>
      <p>{words.aboutNotLoaded}</p>
      <div class="actions">
        <Button class="main" says={words.reload} onClick={() => location.reload()} />
      </div>
    </Page>
  )
}

function NoPage(): JSX.Element {
  return (
    <Page title={words.noPage}>
      <Empty icon="search" sentence={words.noPageAbout}>
        <LinkButton to="/console/" says={words.toHome} />
      </Empty>
    </Page>
  )
}
