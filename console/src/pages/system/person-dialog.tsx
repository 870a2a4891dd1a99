import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useAction } from '../../parts/action.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { textOf } from '../../parts/form-text.ts'
import { tell } from '../../stores/notices.ts'
import { admin } from '../../stores/session.ts'
import { words as frame } from '../../words/frame.ts'
import { words } from '../../words/system.ts'
import { LinkDialog } from './link-dialog.tsx'

/** Makes an administrator of somebody else, who gets a password, or a link to come in by. */
export function PersonDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const linked = useSignal<string | null>(null)
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    const [name, password] = [textOf(form, 'name').trim(), textOf(form, 'password')]
    await admin.call('post', '/admin/v1/persons', { body: password === '' ? { name } : { name, password } })
    tell(words.personMade(name))
    if (password !== '') onClose()
    else linked.value = name
  })
  if (linked.value !== null) return <LinkDialog name={linked.value} onClose={onClose} />
  return (
    <Dialog title={words.addPerson} onClose={onClose}>
      <p>{words.aboutPersons}</p>
      <Form verb={words.addPerson} busy={busy} onSubmit={run} onCancel={onClose}>
        <Field label={frame.name} name="name" required maxLength={64} autocomplete="off" said={said} />
        <Field
          label={words.passwordOptional}
          name="password"
          type="password"
          autocomplete="new-password"
          minLength={10}
          maxLength={256}
          hint={words.passwordOrLink}
        />
      </Form>
    </Dialog>
  )
}
