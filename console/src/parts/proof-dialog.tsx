import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type ProofWanted, proofWanted } from '../stores/proof.ts'
import { words } from '../words/frame.ts'

/** Asks for the password again where a change takes that. */
export function ProofDialog(): JSX.Element | null {
  const wanted = proofWanted.value
  return wanted && <Asking wanted={wanted} />
}

function Asking({ wanted }: { readonly wanted: ProofWanted }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const said = useSignal<string | null>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const password = new FormData(form).get('password')
    said.value = await wanted.give(typeof password === 'string' ? password : '')
  }
  return (
    <dialog ref={dialog} aria-labelledby="proof-title" onCancel={wanted.giveUp}>
      <h2 id="proof-title">{words.proofTitle}</h2>
      <p>{wanted.sentence}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit(event.currentTarget)
        }}
      >
        <label>
          {words.password}
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        {said.value !== null && <p role="alert">{said.value}</p>}
        <div class="actions">
          <button type="button" onClick={wanted.giveUp}>
            {words.cancel}
          </button>
          <button type="submit" class="main">
            {words.goOn}
          </button>
        </div>
      </form>
    </dialog>
  )
}
