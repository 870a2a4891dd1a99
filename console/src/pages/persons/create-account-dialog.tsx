import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Person } from '../../lib/admin-contract.ts'
import { ErrorLine, useAction } from '../../parts/action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Checkbox, Form, NameField, Segments, textOf } from '../../parts/form.tsx'
import { NoPasskeysHere } from '../../parts/trust-chip.tsx'
import { mustAskOwnDevice } from '../../stores/start-session.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { setOwnDevice } from '../../stores/own-session.ts'
import { addPasskey, canUsePasskeys } from '../../stores/person.ts'
import { admin } from '../../stores/session.ts'
import { words as entry } from '../../words/entry.ts'
import { words } from '../../words/persons.ts'
import { browserWords } from '../me/browser-words.ts'
import { NewPassword } from '../me/new-password.tsx'

type CreatedPerson = Pick<Person, 'id' | 'name'>

type Method = keyof typeof METHODS

/**
 * Creates an account for a session without one: a name with a passkey or password. Passkeys need an existing person, so
 * a failed passkey leaves the account, and the dialog asks again.
 */
export function CreateAccountDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const created = useSignal<CreatedPerson | null>(null)
  const chosen = useSignal<Method>('passkey')
  const method = canUsePasskeys.value ? chosen.value : 'password'
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    const password = method === 'password' ? textOf(form, 'password') : null
    const person = created.value
    if (person === null) created.value = await createPerson(textOf(form, 'name').trim(), password, form)
    else if (password !== null)
      await admin.call('put', '/admin/v1/persons/{id}/password', { path: { id: person.id }, body: { password } })
    if (method === 'passkey') await addPasskey(browserWords(navigator.userAgent))
    showNotice(words.personMade(created.value?.name ?? ''))
    onClose()
  })
  return (
    <Dialog title={words.createAccount} onClose={onClose}>
      <p>{created.value === null ? words.aboutAccount : words.aboutMethod(created.value.name)}</p>
      <Form verb={words.createMyAccount} busy={busy} onSubmit={run} onCancel={onClose}>
        {created.value === null && <NameField autocomplete="username" />}
        <SignInMethod method={method} onChange={(next) => (chosen.value = next)} error={message} />
        {mustAskOwnDevice.value && <Checkbox name="own-device">{entry.ownDevice}</Checkbox>}
      </Form>
    </Dialog>
  )
}

interface SignInMethodProps {
  readonly method: Method
  readonly onChange: (method: Method) => void
  readonly error: string | null
}

/** Choice of passkey or password; only a password where passkeys do not work. */
function SignInMethod({ method, onChange, error }: SignInMethodProps): JSX.Element {
  return (
    <>
      {canUsePasskeys.value ? (
        <Segments legend={words.method} names={METHODS} value={method} onChange={onChange} />
      ) : (
        <NoPasskeysHere />
      )}
      {method === 'passkey' ? (
        <div>
          <p class="hint">{words.aboutPasskeys}</p>
          <ErrorLine message={error} />
        </div>
      ) : (
        <NewPassword label={words.password} required hint={words.passwordHint} error={error} />
      )}
    </>
  )
}

const METHODS = { passkey: words.byPasskey, password: words.byPassword } as const

/** Creates the person, and stores the answer about the own device if the form asks for it. */
async function createPerson(name: string, password: string | null, form: HTMLFormElement): Promise<CreatedPerson> {
  const body = password === null ? { name } : { name, password }
  const { person } = await admin.call('post', '/admin/v1/persons', { body })
  if (mustAskOwnDevice.value) {
    if (new FormData(form).has('own-device')) await setOwnDevice(true)
    mustAskOwnDevice.value = false
  }
  return person
}
