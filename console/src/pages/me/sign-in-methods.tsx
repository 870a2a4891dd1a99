import type { JSX } from 'preact'
import type { Passkey, Person } from '../../lib/admin-contract.ts'
import { useAction } from '../../parts/action.tsx'
import { ConfirmButton, Dialog } from '../../parts/dialog.tsx'
import { Field, Form, textOf } from '../../parts/form.tsx'
import { Icon, LastTime } from '../../parts/page.tsx'
import { showNotice } from '../../stores/page-notices.ts'
import { addPasskey, noteOwnChange } from '../../stores/person.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/persons.ts'
import { browserWords } from './browser-words.ts'
import { NewPassword } from './new-password.tsx'

interface PasswordDialogProps {
  readonly person: Pick<Person, 'id' | 'name'>
  readonly onClose: () => void
}

/** Sets a password, with a warning that the person's other sessions end. */
export function PasswordDialog({ person, onClose }: PasswordDialogProps): JSX.Element {
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    const body = { password: textOf(form, 'password') }
    await admin.call('put', '/admin/v1/persons/{id}/password', { path: { id: person.id }, body })
    showNotice(words.passwordSet(person.name))
    noteOwnChange()
    onClose()
  })
  return (
    <Dialog title={words.passwordTitle(person.name)} onClose={onClose}>
      <p>{words.passwordEnds}</p>
      <Form verb={words.setPassword} busy={busy} onSubmit={run} onCancel={onClose}>
        <NewPassword label={words.password} required hint={words.passwordHint} error={message} />
      </Form>
    </Dialog>
  )
}

/** A passkey with its address, its last use, and a button to remove it. */
export function PasskeyLine({ passkey: { id, name, site, usedAt } }: { readonly passkey: Passkey }): JSX.Element {
  const remove = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/passkeys/{id}', { path: { id } })
    showNotice(words.removed(name))
    noteOwnChange()
  }
  return (
    <li>
      <Icon name="key" />
      <span class="grow">
        {name}
        <br />
        <small class="muted">
          {words.worksAt(site)}
          {' · '}
          <LastTime at={usedAt} label={words.lastUsed} never={words.neverUsed} />
        </small>
      </span>
      <ConfirmButton
        label={words.remove}
        title={words.removeTitle(name)}
        verb={words.removeNamed(name)}
        onConfirm={remove}
      >
        {words.removesPasskey}
      </ConfirmButton>
    </li>
  )
}

/** Creates a passkey for the signed-in person in this browser. */
export function PasskeyDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    await addPasskey(textOf(form, 'name'))
    showNotice(words.passkeyMade)
    onClose()
  })
  return (
    <Dialog title={words.addPasskey} onClose={onClose}>
      <p>{words.aboutPasskeys}</p>
      <Form verb={words.addPasskeyNow} busy={busy} onSubmit={run} onCancel={onClose}>
        <Field
          label={words.passkeyName}
          name="name"
          required
          maxLength={64}
          defaultValue={browserWords(navigator.userAgent)}
          error={message}
        />
      </Form>
    </Dialog>
  )
}
