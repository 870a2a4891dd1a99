import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ConsoleSession } from '../../lib/admin-contract.ts'
import { Said, Unread, useAction } from '../../parts/action.tsx'
import { EndingDialog } from '../../parts/dialog.tsx'
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
  const ending = useSignal<ConsoleSession | null>(null)
  if (value === null) return <Unread error={error} again={again} />
  return (
    <>
      <p class="muted">{words.aboutSessions}</p>
      <ul class="sheets">
        {value.sessions.map((session) => (
          <Session key={session.id} session={session} onEnd={() => (ending.value = session)} />
        ))}
      </ul>
      {ending.value && (
        <EndingDialog
          title={words.endTitle(browserWords(ending.value.browser), ending.value.name)}
          verb={words.endSession(browserWords(ending.value.browser), ending.value.name)}
          onEnd={() => admin.call('delete', '/admin/v1/sessions/{id}', { path: { id: ending.value?.id ?? '' } })}
          onClose={() => (ending.value = null)}
        >
          <p>{words.endsSession}</p>
        </EndingDialog>
      )}
    </>
  )
}

function Session({ session, onEnd }: { readonly session: ConsoleSession; readonly onEnd: () => void }): JSX.Element {
  const { name, browser, peer, own, ownDevice, createdAt, usedAt } = session
  return (
    <li class="card">
      <header>
        <h2>{browserWords(browser)}</h2>
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
          <Button
            class="quiet danger"
            says={words.signOut}
            aria-label={words.endSession(browserWords(browser), name)}
            onClick={onEnd}
          />
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
      <div class="own-device">
        <span aria-hidden="true">{entry.ownDevice}</span>
        <Switch label={entry.ownDevice} on={ownDevice} asked={busy} onChange={(on) => void run(on)} />
      </div>
      <Said of={said} />
    </>
  )
}
