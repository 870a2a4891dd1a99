import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useAction } from '../../parts/action.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { textOf } from '../../parts/form-text.ts'
import { makePasskey } from '../../stores/passkeys.ts'
import { tell } from '../../stores/notices.ts'
import { words } from '../../words/system.ts'
import { browserWords } from './browser-words.ts'

/** Makes a passkey of one's own in this browser. */
export function AddPasskey(): JSX.Element {
  const asking = useSignal(false)
  return (
    <>
      <button type="button" onClick={() => (asking.value = true)}>
        {words.addPasskey}
      </button>
      {asking.value && <Making onClose={() => (asking.value = false)} />}
    </>
  )
}

function Making({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    await makePasskey(textOf(form, 'name'))
    tell(words.passkeyMade)
    onClose()
  })
  return (
    <Dialog title={words.addPasskey} onClose={onClose}>
      <p>{words.aboutPasskeys}</p>
      <Form verb={words.makePasskey} busy={busy} onSubmit={run} onCancel={onClose}>
        <Field
          label={words.passkeyName}
          name="name"
          required
          maxLength={64}
          defaultValue={browserWords(navigator.userAgent)}
          said={said}
        />
      </Form>
    </Dialog>
  )
}
