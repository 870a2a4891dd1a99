import type { JSX } from 'preact'
import type { Person } from '../../lib/admin-contract.ts'
import { useAction } from '../../parts/action.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { textOf } from '../../parts/form-text.ts'
import { tell } from '../../stores/notices.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'

interface PasswordDialogProps {
  readonly person: Person
  readonly onClose: () => void
}

/** Gives a person a password; all their other sessions end by it, and it says so. */
export function PasswordDialog({ person, onClose }: PasswordDialogProps): JSX.Element {
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    const body = { password: textOf(form, 'password') }
    await admin.call('put', '/admin/v1/persons/{id}/password', { path: { id: person.id }, body })
    tell(words.passwordSet(person.name))
    onClose()
  })
  return (
    <Dialog title={words.passwordTitle(person.name)} onClose={onClose}>
      <p>{words.passwordEnds}</p>
      <Form verb={words.setPassword} busy={busy} onSubmit={run} onCancel={onClose}>
        <Field
          label={words.password}
          name="password"
          type="password"
          autocomplete="new-password"
          required
          minLength={10}
          maxLength={256}
          hint={words.passwordHint}
          said={said}
        />
      </Form>
    </Dialog>
  )
}
