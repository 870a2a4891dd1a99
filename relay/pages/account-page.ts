import { passkeyId } from '../accounts/passkeys.ts'
import type { ShownSession } from '../accounts/sessions.ts'
import { newPasswordInput, proofInputs, proved, saidPart, scriptAlert } from './account-pages.ts'
import { html, type Html } from './html.ts'
import {
  begin,
  endSession,
  given,
  go,
  leaveNote,
  type OwnVisit,
  send,
  sessionOf,
  show,
  takeNote,
  visitorOf,
} from './http.ts'
import { ago, failureWords, type Said } from './words.ts'

/** Confirmations of a change, by their names. */
const NOTES = {
  changed: 'The password is changed. Every other sign-in has ended.',
  ended: 'That browser is signed out.',
  added: 'The passkey is added. You can sign in with it from now on.',
  renamed: 'The passkey has a new name.',
  removed: 'The passkey is removed, and browsers that signed in with it are signed out.',
  alone: 'All other browsers are signed out.',
  unknown: 'No such browser is signed in to your account.',
} as const

/** Goes to the page of the account, which confirms a change once. */
export function goToAccount(visit: OwnVisit, note: keyof typeof NOTES): void {
  leaveNote(visit, note)
  go(visit.response, '/account')
}

/** The account of the person who is signed in: sessions, password, invites, its end. */
export async function account(visit: OwnVisit): Promise<void> {
  if (visit.method === 'GET') return accountPage(visit)
  const asked = { prove: () => proved(visit), next: given(visit, 'password') }
  const changed = await visit.relay.accounts.changePassword(visit.account, asked, visitorOf(visit))
  if (!changed.ok) return accountPage(visit, failureWords(changed.error))
  leaveNote(visit, 'changed' satisfies keyof typeof NOTES)
  begin(visit, changed.value, '/account')
}

/** Ends one session, or all but the one that asks. */
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
      <p>Give them this link. It makes one account, within 7 days, and is shown only now.</p>
      <p class="code-shown link">${origin}/signup?invite=${invited.value}</p>
      <p class="soft">The account sees no home. To share yours, open its gateway and use <b>bin/hm relay link</b>.</p>
      <p><a href="/account">Back</a></p>`,
  })
}

/** Deletes the account, after a fresh proof. */
export async function leave(visit: OwnVisit): Promise<void> {
  if (visit.method === 'GET') return leavePage(visit)
  const proof = await proved(visit)
  if (!proof.ok) return leavePage(visit, failureWords(proof.error))
  await visit.relay.enrolment.deleteAccount(visit.account)
  endSession(visit.response)
  send(visit.response, {
    title: 'The account is deleted',
    body: html`<h1>Your account is deleted</h1>
      <p>The relay keeps nothing of it any more. Every home was unlinked.</p>`,
  })
}

async function accountPage(visit: OwnVisit, said: Said | null = null): Promise<void> {
  const { accounts, clock, passkeys } = visit.relay
  const sessions = await accounts.sessions.list(visit.account, sessionOf(visit.request))
  const note = takeNote(visit)
  const words = Object.entries(NOTES).find(([name]) => name === note)?.[1]
  show(visit, {
    said,
    title: 'Your account',
    body: html`<h1>Your account</h1>
      ${words === undefined || said !== null ? null : html`<p class="note" role="status">${words}</p>`}
      ${saidPart(said)} ${passkeys.isOffered ? passkeysPart(visit) : null} ${sessionsPart(sessions, clock.now())}
      <h2>Change the password</h2>
      <form method="post" action="/account">
        ${proofInputs(visit)} ${newPasswordInput('New password')}
        <div class="deeds"><button>Change the password</button></div>
        ${scriptAlert()}
      </form>
      <h2>Invite someone</h2>
      <p class="soft">A link with which one person makes an account at this relay.</p>
      <form method="post" action="/invites"><button class="second">Make an invite</button></form>
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
        ? html`<p class="soft">Sign in by your finger, face or PIN instead of a password.</p>`
        : html`<ul>
            ${rows}
          </ul>`
    }
    <a class="button second" href="/account/passkeys">Add a passkey</a>`
}

function sessionsPart(sessions: readonly ShownSession[], now: number): Html {
  const others =
    sessions.length < 2
      ? null
      : html`<form method="post" action="/account/sessions">
          <button class="second">Sign out all other browsers</button>
        </form>`
  return html`<h2>Where you are signed in</h2>
    <ul>
      ${sessions.map((session) => sessionRow(session, now))}
    </ul>
    ${others}`
}

function sessionRow({ id, isThis, browser, place, createdAt, seenAt }: ShownSession, now: number): Html {
  const name = browser || 'Unknown browser'
  const began = createdAt === null ? '' : ` · signed in ${ago(now - createdAt)}`
  const out = html`<form method="post" action="/account/sessions">
    <input type="hidden" name="session" value="${id}" /><button class="plain" aria-label="End ${name}">End</button>
  </form>`
  return html`<li>
    <span
      ><b>${name}</b><br /><span class="soft"
        >${place === '' ? null : `From ${place} · `}last used ${ago(now - seenAt)}${began}</span
      ></span
    >
    ${isThis ? html`<span class="this">This browser</span>` : out}
  </li>`
}

function leavePage(visit: OwnVisit, said: Said | null = null): void {
  show(visit, {
    said,
    title: 'Delete the account',
    body: html`<h1>Delete your account?</h1>
      <p>
        All your homes are unlinked from it, and you are signed out everywhere. A home that is linked to nobody else is
        not reached through this relay any more, by programs and agents neither. Nothing at the homes themselves
        changes.
      </p>
      ${saidPart(said)}
      <form method="post" action="/account/delete">
        ${proofInputs(visit)}
        <div class="deeds">
          <button class="danger">Delete the account</button><a class="button second" href="/account">Keep it</a>
        </div>
        ${scriptAlert()}
      </form>`,
  })
}
