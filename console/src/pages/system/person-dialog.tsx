import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useAction } from '../../parts/action.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Check, Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { textOf } from '../../parts/form-text.ts'
import { ownDeviceUnasked } from '../../stores/arrival.ts'
import { session, setOwnDevice } from '../../stores/person.ts'
import { tell } from '../../stores/notices.ts'
import { admin } from '../../stores/session.ts'
import { words as entry } from '../../words/entry.ts'
import { words as frame } from '../../words/frame.ts'
import { words } from '../../words/system.ts'
import { LinkDialog } from './link-dialog.tsx'

/** Makes an administrator. Somebody else gets a link to come in by; whoever has no name here becomes the person. */
export function PersonDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const linked = useSignal<string | null>(null)
  const isOwn = session.value?.person === null
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    const [name, password] = [textOf(form, 'name').trim(), textOf(form, 'password')]
    await admin.call('post', '/admin/v1/persons', { body: password === '' ? { name } : { name, password } })
    if (isOwn && ownDeviceUnasked.value) {
      if (new FormData(form).has('own-device')) await setOwnDevice(true)
      ownDeviceUnasked.value = false
    }
    tell(words.personMade(name))
    if (isOwn || password !== '') onClose()
    else linked.value = name
  })
  if (linked.value !== null) return <LinkDialog name={linked.value} onClose={onClose} />
  return (
    <Dialog title={isOwn ? words.giveName : words.addPerson} onClose={onClose}>
      <p>{isOwn ? words.aboutOwnName : words.aboutPersons}</p>
      <Form verb={isOwn ? words.keepName : words.addPerson} busy={busy} onSubmit={run} onCancel={onClose}>
        <Field label={frame.name} name="name" required maxLength={64} autocomplete="username" said={said} />
        <Field
          label={words.passwordOptional}
          name="password"
          type="password"
          autocomplete="new-password"
          minLength={10}
          maxLength={256}
          hint={isOwn ? words.passwordHint : words.passwordOrLink}
        />
        {isOwn && ownDeviceUnasked.value && <Check name="own-device">{entry.ownDevice}</Check>}
      </Form>
    </Dialog>
  )
}
