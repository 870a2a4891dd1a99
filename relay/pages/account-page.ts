import { passkeyId } from '../accounts/passkeys.ts'
import type { SessionSummary } from '../accounts/account-sessions.ts'
import { errorPart, newPasswordInput, proofInputs, reauthenticate, scriptAlert } from './account-pages.ts'
import { html, type Html } from './html.ts'
import {
  begin,
  endSession,
  field,
  go,
  leaveNote,
  type OwnVisit,
  send,
  sessionOf,
  show,
  takeNote,
  visitorOf,
} from './http.ts'
import { ago, failureWords, type PageError } from './words.ts'

/** Confirmations of a change. */
const NOTES = {
  changed: 'The password is changed. Every other sign-in has ended.',
  ended: 'That browser is signed out.',
  added: 'The passkey is added. You can sign in with it from now on.',
  renamed: 'The passkey has a new name.',
  removed: 'The passkey is removed, and browsers that signed in with it are signed out.',
  alone: 'All other browsers are signed out.',
  unknown: 'That browser was already signed out.',
} as const

/** Redirects to the account's page, which shows the confirmation once. */
export function goToAccount(visit: OwnVisit, note: keyof typeof NOTES): void {
  leaveNote(visit, note)
  go(visit.response, '/account')
}

/** The page of the account: passkeys, sessions, password, invites. */
export async function account(visit: OwnVisit): Promise<void> {
  if (visit.method === 'GET') return accountPage(visit)
  const change = { reauthenticate: () => reauthenticate(visit), next: field(visit, 'password') }
  const changed = await visit.relay.accounts.changePassword(visit.account, change, visitorOf(visit))
  if (!changed.ok) return accountPage(visit, failureWords(changed.error))
  leaveNote(visit, 'changed' satisfies keyof typeof NOTES)
  begin(visit, changed.value, '/account')
}

/** Ends one session, or all sessions except the current one. */
export async function endSessions(visit: OwnVisit): Promise<void> {
  const { events, sessions } = visit.relay.accounts
  const id = visit.form.get('session')
  if (id !== null) return goToAccount(visit, (await sessions.endOne(visit.account, id)) ? 'ended' : 'unknown')
  await sessions.endOthers(visit.account, sessionOf(visit.request) ?? '')
  await events.record('signed_out_others', visit.account.id)
  goToAccount(visit, 'alone')
}

export async function invite(visit: OwnVisit): Promise<void> {
  const { accounts, origin } = visit.relay
  const invited = await accounts.invites.give(visit.account.id)
  if (!invited.ok) return accountPage(visit, failureWords(invited.error))
  show(visit, {
    title: 'An invite',
    body: html`<h1>An invite for one person</h1>
      <p>Send them this link. It creates one account, is valid for 7 days, and is shown only once.</p>
      <p class="code-shown link">${origin}/signup?invite=${invited.value}</p>
      <p class="soft">The new account has no home yet. To share yours, run <b>bin/hm relay link</b> on its gateway.</p>
      <p><a href="/account">Back</a></p>`,
  })
}

/** Deletes the account after the person has authenticated again. */
export async function deleteAccount(visit: OwnVisit): Promise<void> {
  if (visit.method === 'GET') return deletePage(visit)
  const authenticated = await reauthenticate(visit)
  if (!authenticated.ok) return deletePage(visit, failureWords(authenticated.error))
  await visit.relay.enrolment.deleteAccount(visit.account)
  endSession(visit.response)
  send(visit.response, {
    title: 'The account is deleted',
    body: html`<h1>Your account is deleted</h1>
      <p>The relay has deleted its data and unlinked all homes.</p>`,
  })
}

async function accountPage(visit: OwnVisit, error: PageError | null = null): Promise<void> {
  const { accounts, clock, passkeys } = visit.relay
  const sessions = await accounts.sessions.list(visit.account, sessionOf(visit.request))
  const note = takeNote(visit)
  const words = Object.entries(NOTES).find(([name]) => name === note)?.[1]
  show(visit, {
    error,
    title: 'Your account',
    body: html`<h1>Your account</h1>
      ${words === undefined || error !== null ? null : html`<p class="note" role="status">${words}</p>`}
      ${errorPart(error)} ${passkeys.isOffered ? passkeysPart(visit) : null} ${sessionsPart(sessions, clock.now())}
      <h2>Change the password</h2>
      <form method="post" action="/account">
        ${proofInputs(visit)} ${newPasswordInput('New password')}
        <div class="deeds"><button>Change the password</button></div>
        ${scriptAlert()}
      </form>
      <h2>Invite someone</h2>
      <p class="soft">Create a link with which one person can create an account at this relay.</p>
      <form method="post" action="/invites"><button class="second">Create an invite</button></form>
      <div class="deeds"><a href="/">Your homes</a><a href="/account/delete">Delete the account</a></div>`,
  })
}

function passkeysPart({ account: { passkeys }, relay: { clock } }: OwnVisit): Html {
  const now = clock.now()
  const rows = passkeys.map(
    (passkey) =>
      html`<li>
        <span
          ><b>${passkey.name}</b><br /><span class="soft"
            >Added ${ago(now - passkey.createdAt)} ·
            ${passkey.usedAt === null ? 'not used yet' : `last used ${ago(now - passkey.usedAt)}`}</span
          ></span
        >
        <a href="/account/passkey?id=${passkeyId(passkey)}" aria-label="Change ${passkey.name}">Change</a>
      </li>`,
  )
  return html`<h2>Passkeys</h2>
    ${
      rows.length === 0
        ? html`<p class="soft">Sign in with your fingerprint, face or PIN instead of a password.</p>`
        : html`<ul>
            ${rows}
          </ul>`
    }
    <a class="button second" href="/account/passkeys">Add a passkey</a>`
}

function sessionsPart(sessions: readonly SessionSummary[], now: number): Html {
  const signOutOthers =
    sessions.length < 2
      ? null
      : html`<form method="post" action="/account/sessions">
          <button class="second">Sign out all other browsers</button>
        </form>`
  return html`<h2>Where you are signed in</h2>
    <ul>
      ${sessions.map((session) => sessionRow(session, now))}
    </ul>
    ${signOutOthers}`
}

function sessionRow({ id, isThis, browser, place, createdAt, seenAt }: SessionSummary, now: number): Html {
  const name = browser || 'Unknown browser'
  const signedIn = createdAt === null ? '' : ` · signed in ${ago(now - createdAt)}`
  const endForm = html`<form method="post" action="/account/sessions">
    <input type="hidden" name="session" value="${id}" /><button class="plain" aria-label="End ${name}">End</button>
  </form>`
  return html`<li>
    <span
      ><b>${name}</b><br /><span class="soft"
        >${place === '' ? null : `From ${place} · `}last used ${ago(now - seenAt)}${signedIn}</span
      ></span
    >
    ${isThis ? html`<span class="this">This browser</span>` : endForm}
  </li>`
}

function deletePage(visit: OwnVisit, error: PageError | null = null): void {
  show(visit, {
    error,
    title: 'Delete the account',
    body: html`<h1>Delete your account?</h1>
      <p>
        All your homes are unlinked, and you are signed out everywhere. If a home has no other account, programs and
        agents can no longer reach it through this relay. Nothing changes at the homes themselves.
      </p>
      ${errorPart(error)}
      <form method="post" action="/account/delete">
        ${proofInputs(visit)}
        <div class="deeds">
          <button class="danger">Delete the account</button><a class="button second" href="/account">Keep it</a>
        </div>
        ${scriptAlert()}
      </form>`,
  })
}
