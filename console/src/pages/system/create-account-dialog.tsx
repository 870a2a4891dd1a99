import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Person } from '../../lib/admin-contract.ts'
import { Said, useAction } from '../../parts/action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Check, Field, Form, NameField, Segments, textOf } from '../../parts/form.tsx'
import { NoPasskeysHere } from '../../parts/trust-chip.tsx'
import { ownDeviceUnasked } from '../../stores/arrival.ts'
import { tell } from '../../stores/notices.ts'
import { makePasskey, passkeysHere, setOwnDevice } from '../../stores/person.ts'
import { admin } from '../../stores/session.ts'
import { words as entry } from '../../words/entry.ts'
import { words } from '../../words/system.ts'
import { browserWords } from './browser-words.ts'

type Made = Pick<Person, 'id' | 'name'>

type Way = keyof typeof WAYS

/**
 * Whoever has no name yet becomes a person, with what they come back by: a name alone opens nothing. A passkey can only
 * be made of a person, so one that came to nothing is tried again here, or a password is taken in its place.
 */
export function OwnNameDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const made = useSignal<Made | null>(null)
  const chosen = useSignal<Way>('passkey')
  const way = passkeysHere.value ? chosen.value : 'password'
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    const password = way === 'password' ? textOf(form, 'password') : null
    const person = made.value
    if (person === null) made.value = await named(textOf(form, 'name').trim(), password, form)
    else if (password !== null)
      await admin.call('put', '/admin/v1/persons/{id}/password', { path: { id: person.id }, body: { password } })
    if (way === 'passkey') await makePasskey(browserWords(navigator.userAgent))
    tell(words.personMade(made.value?.name ?? ''))
    onClose()
  })
  return (
    <Dialog title={words.giveName} onClose={onClose}>
      <p>{made.value === null ? words.aboutOwnName : words.aboutWayBack(made.value.name)}</p>
      <Form verb={words.keepName} busy={busy} onSubmit={run} onCancel={onClose}>
        {made.value === null && <NameField autocomplete="username" />}
        <WayBack way={way} onChange={(next) => (chosen.value = next)} said={said} />
        {ownDeviceUnasked.value && <Check name="own-device">{entry.ownDevice}</Check>}
      </Form>
    </Dialog>
  )
}

interface WayBackProps {
  readonly way: Way
  readonly onChange: (way: Way) => void
  readonly said: string | null
}

/** What they come back by: at an address a password, since no passkey works there. */
function WayBack({ way, onChange, said }: WayBackProps): JSX.Element {
  return (
    <>
      {passkeysHere.value ? (
        <Segments legend={words.wayBack} names={WAYS} value={way} onChange={onChange} />
      ) : (
        <NoPasskeysHere />
      )}
      {way === 'passkey' ? (
        <div>
          <p class="hint">{words.aboutPasskeys}</p>
          <Said of={said} />
        </div>
      ) : (
        <NewPassword label={words.password} required hint={words.passwordHint} said={said} />
      )}
    </>
  )
}

export const NewPassword = (field: Omit<Parameters<typeof Field>[0], 'name' | 'type'>): JSX.Element => (
  <Field name="password" type="password" autocomplete="new-password" minLength={10} maxLength={256} {...field} />
)

const WAYS = { passkey: words.byPasskey, password: words.byPassword } as const

/** Makes the person, and says whose device this is, where nobody was asked. */
async function named(name: string, password: string | null, form: HTMLFormElement): Promise<Made> {
  const body = password === null ? { name } : { name, password }
  const { person } = await admin.call('post', '/admin/v1/persons', { body })
  if (ownDeviceUnasked.value) {
    if (new FormData(form).has('own-device')) await setOwnDevice(true)
    ownDeviceUnasked.value = false
  }
  return person
}
