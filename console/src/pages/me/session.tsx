import type { JSX } from 'preact'
import type { ConsoleSession } from '../../lib/admin-contract.ts'
import { ErrorLine, useAction } from '../../parts/action.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { Switch } from '../../parts/form.tsx'
import { Age, Button, Chip } from '../../parts/page.tsx'
import { signOut } from '../../stores/home.ts'
import { setOwnDevice } from '../../stores/own-session.ts'
import { noteOwnChange } from '../../stores/person.ts'
import { admin } from '../../stores/session.ts'
import { words as entry } from '../../words/entry.ts'
import { words } from '../../words/persons.ts'
import { browserWords } from './browser-words.ts'

/** A signed-in browser, with a button to sign it out. */
export function Session({ session }: { session: ConsoleSession }): JSX.Element {
  const { id, name, peer, own, ownDevice, createdAt, usedAt } = session
  const browser = browserWords(session.browser)
  const signOutOther = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/sessions/{id}', { path: { id } })
    noteOwnChange()
  }
  return (
    <li class="card">
      <header>
        <h2>{browser}</h2>
        {own && <Chip tone="ok">{words.thisOne}</Chip>}
      </header>
      <p>
        {name}
        {' · '}
        {words.fromAddress(peer)}
      </p>
      <p class="muted">
        {words.lastUsed} <Age at={usedAt} />
        {' · '}
        {words.signedIn} <Age at={createdAt} />
        {' · '}
        {ownDevice ? words.ownDevice : words.otherDevice}
      </p>
      {own && <OwnDevice ownDevice={ownDevice} />}
      <div class="actions">
        {own ? (
          <Button label={words.signOut} onClick={() => void signOut()} />
        ) : (
          <ConfirmButton
            label={words.signOut}
            title={words.endTitle(browser, name)}
            verb={words.endSession(browser, name)}
            onConfirm={signOutOther}
          >
            {words.endsSession}
          </ConfirmButton>
        )}
      </div>
    </li>
  )
}

/** Switch for this browser: own device or not. */
function OwnDevice({ ownDevice }: { readonly ownDevice: boolean }): JSX.Element {
  const { run, busy, message } = useAction(setOwnDevice)
  return (
    <>
      <div class="switched">
        <span aria-hidden="true">{entry.ownDevice}</span>
        <Switch label={entry.ownDevice} on={ownDevice} pending={busy} onChange={(on) => void run(on)} />
      </div>
      <ErrorLine message={message} />
    </>
  )
}
