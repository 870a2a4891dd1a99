import type { JSX } from 'preact'
import { type ProofWanted, proofWanted } from '../stores/proof.ts'
import { words } from '../words/frame.ts'
import { Told, useAction } from './action.tsx'
import { Dialog } from './dialog.tsx'
import { Field, Form, textOf } from './form.tsx'
import { Button } from './page.tsx'

/** Asks for a passkey or the password again where a change takes that. */
export function ProofDialog(): JSX.Element | null {
  const wanted = proofWanted.value
  return wanted && <Asking wanted={wanted} />
}

function Asking({ wanted }: { readonly wanted: ProofWanted }): JSX.Element {
  const { proofs, sentence, giveUp } = wanted
  return (
    <Dialog title={words.proofTitle} onClose={giveUp}>
      <p>
        <Told>{sentence}</Told>
      </p>
      {proofs.passkey && <ByPasskey wanted={wanted} />}
      {proofs.password && <ByPassword wanted={wanted} />}
      {!proofs.password && (
        <div class="actions">
          <Button says={words.cancel} onClick={giveUp} />
        </div>
      )}
    </Dialog>
  )
}

function ByPasskey({ wanted }: { readonly wanted: ProofWanted }): JSX.Element {
  const showing = useAction(wanted.show)
  return (
    <>
      <Button class={wanted.proofs.password ? '' : 'main'} icon="key" says={words.showPasskey} does={showing} />
      {showing.said !== null && <p role="alert">{words.passkeyNotShown}</p>}
    </>
  )
}

function ByPassword({ wanted }: { readonly wanted: ProofWanted }): JSX.Element {
  const { run, busy, said } = useAction((form: HTMLFormElement) => wanted.give(textOf(form, 'password')))
  return (
    <Form verb={words.goOn} busy={busy} onSubmit={run} onCancel={wanted.giveUp}>
      <Field
        label={words.password}
        name="password"
        type="password"
        autocomplete="current-password"
        required
        said={said}
      />
    </Form>
  )
}
