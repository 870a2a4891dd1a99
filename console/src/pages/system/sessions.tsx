import type { JSX } from 'preact'
import type { ConsoleSession } from '../../lib/admin-contract.ts'
import { Said, Unread, useAction } from '../../parts/action.tsx'
import { EndingDialog, Opens } from '../../parts/dialog.tsx'
import { Switch } from '../../parts/form.tsx'
import { Age, Button, Chip } from '../../parts/page.tsx'
import { signOut } from '../../stores/home.ts'
import { setOwnDevice } from '../../stores/person.ts'
import { accessChanges } from '../../stores/pushed.ts'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words as entry } from '../../words/entry.ts'
import { words } from '../../words/system.ts'
import { browserWords } from './browser-words.ts'

/** The browsers that are signed in; each can be ended by itself. */
export function Sessions(): JSX.Element {
  const { value, error, again } = useReading(() => admin.call('get', '/admin/v1/sessions'), accessChanges.value)
  if (value === null) return <Unread error={error} again={again} />
  return (
    <>
      <p class="muted">{words.aboutSessions}</p>
      <ul class="sheets">
        {value.sessions.map((session) => (
          <Session key={session.id} session={session} />
        ))}
      </ul>
    </>
  )
}

function Session({ session }: { session: ConsoleSession }): JSX.Element {
  const { id, name, peer, own, ownDevice, createdAt, usedAt } = session
  const browser = browserWords(session.browser)
  const end = () => admin.call('delete', '/admin/v1/sessions/{id}', { path: { id } })
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
          <Button says={words.signOut} onClick={() => void signOut()} />
        ) : (
          <Opens class="quiet danger" says={words.signOut} aria-label={words.endSession(browser, name)}>
            {(close) => (
              <EndingDialog
                title={words.endTitle(browser, name)}
                verb={words.endSession(browser, name)}
                onEnd={end}
                onClose={close}
              >
                <p>{words.endsSession}</p>
              </EndingDialog>
            )}
          </Opens>
        )}
      </div>
    </li>
  )
}

/** Says of this browser that it is on a device of one's own, or takes that back. */
function OwnDevice({ ownDevice }: { readonly ownDevice: boolean }): JSX.Element {
  const { run, busy, said } = useAction(setOwnDevice)
  return (
    <>
      <div class="switched">
        <span aria-hidden="true">{entry.ownDevice}</span>
        <Switch label={entry.ownDevice} on={ownDevice} asked={busy} onChange={(on) => void run(on)} />
      </div>
      <Said of={said} />
    </>
  )
}
