import type { JSX } from 'preact'
import { type ProofWanted, proofWanted } from '../stores/proof.ts'
import { words } from '../words/frame.ts'
import { useAction } from './action.ts'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'

/** Asks for the password again where a change takes that. */
export function ProofDialog(): JSX.Element | null {
  const wanted = proofWanted.value
  return wanted && <Asking wanted={wanted} />
}

function Asking({ wanted }: { readonly wanted: ProofWanted }): JSX.Element {
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    const password = new FormData(form).get('password')
    const refusal = await wanted.give(typeof password === 'string' ? password : '')
    if (refusal !== null) throw new Error(refusal)
  })
  return (
    <Dialog title={words.proofTitle} onClose={wanted.giveUp}>
      <p>{wanted.sentence}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(event.currentTarget)
        }}
      >
        <Field
          label={words.password}
          name="password"
          type="password"
          autocomplete="current-password"
          required
          said={said}
        />
        <div class="actions">
          <button type="button" onClick={wanted.giveUp}>
            {words.cancel}
          </button>
          <button type="submit" class="main" disabled={busy}>
            {words.goOn}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
