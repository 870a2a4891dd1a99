import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useAction } from '../../parts/action.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Check, Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { textOf } from '../../parts/form-text.ts'
import { Told } from '../../parts/told.tsx'
import { admin } from '../../stores/session.ts'
import { words as frame } from '../../words/frame.ts'
import { words } from '../../words/operators.ts'

const SCOPES = ['metrics', 'backup'] as const

/** Makes a token for a program that looks after the gateway; only the word that it is stored closes it. */
export function OperatorDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const token = useSignal<string | null>(null)
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    const ticked = new FormData(form)
    const scopes = SCOPES.filter((scope) => ticked.has(scope))
    if (scopes.length === 0) throw new Error(words.needsScope)
    const name = textOf(form, 'name').trim()
    token.value = (await admin.call('post', '/admin/v1/operators', { body: { name, scopes } })).token
  })
  if (token.value !== null) return <Shown token={token.value} onClose={onClose} />
  return (
    <Dialog title={words.makeTitle} onClose={onClose}>
      <Form verb={words.make} busy={busy} onSubmit={run} onCancel={onClose}>
        <fieldset class="scopes">
          <legend>{words.scopesTitle}</legend>
          {SCOPES.map((scope) => (
            <Check key={scope} name={scope} defaultChecked={scope === 'metrics'}>
              {words.scopes[scope]}
            </Check>
          ))}
        </fieldset>
        <Field
          label={frame.name}
          name="name"
          hint={words.nameHint}
          autocomplete="off"
          maxLength={64}
          required
          said={said}
        />
      </Form>
    </Dialog>
  )
}

function Shown({ token, onClose }: { readonly token: string; readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title={words.madeTitle}>
      <p>
        <Told>{words.aboutMade}</Told>
      </p>
      <div class="handed-over">
        <section>
          <header>
            <h3>{words.made}</h3>
            <CopyButton what={words.made} text={token} />
          </header>
          <pre class="secret" tabIndex={0} aria-label={words.made}>
            {token}
          </pre>
        </section>
      </div>
      <div class="actions">
        <button type="button" class="main" onClick={onClose}>
          {words.stored}
        </button>
      </div>
    </Dialog>
  )
}
