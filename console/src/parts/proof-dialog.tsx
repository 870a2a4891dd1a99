import type { JSX } from 'preact'
import { type ProofRequest, proofRequest } from '../stores/proof.ts'
import { words } from '../words/page-frame.ts'
import { Sentence, useAction } from './action.tsx'
import { Dialog } from './dialog.tsx'
import { Field, Form, textOf } from './form.tsx'
import { onDemand } from './on-demand.tsx'
import { Button } from './page.tsx'

/** Asks for a passkey, password or PIN when a change needs a fresh proof. */
export function ProofDialog(): JSX.Element | null {
  const request = proofRequest.value
  if (request?.isTablet === true) return <PinDialog request={request} />
  return request && <OpenProofDialog request={request} />
}

const PinPad = onDemand(async () => (await import('./pin-pad.tsx')).PinPad)

/** Asks for the PIN of a wall tablet. */
function PinDialog({ request }: { readonly request: ProofRequest }): JSX.Element {
  return (
    <Dialog title={words.enterPin} onClose={request.cancel}>
      {request.proofs.pin ? <PinPad request={request} /> : <p>{words.noPin}</p>}
    </Dialog>
  )
}

function OpenProofDialog({ request }: { readonly request: ProofRequest }): JSX.Element {
  const { proofs, reason, cancel } = request
  return (
    <Dialog title={words.proofTitle} onClose={cancel}>
      <p>
        <Sentence>{reason}</Sentence>
      </p>
      {proofs.passkey && <ByPasskey request={request} />}
      {proofs.password && <ByPassword request={request} />}
      {!proofs.password && (
        <div class="actions">
          <Button label={words.cancel} onClick={cancel} />
        </div>
      )}
    </Dialog>
  )
}

function ByPasskey({ request }: { readonly request: ProofRequest }): JSX.Element {
  const passkey = useAction(request.givePasskey)
  return (
    <>
      <Button class={request.proofs.password ? '' : 'main'} icon="key" label={words.usePasskey} action={passkey} />
      {passkey.message !== null && <p role="alert">{words.passkeyNotShown}</p>}
    </>
  )
}

function ByPassword({ request }: { readonly request: ProofRequest }): JSX.Element {
  const { run, busy, message } = useAction((form: HTMLFormElement) => request.givePassword(textOf(form, 'password')))
  return (
    <Form verb={words.goOn} busy={busy} onSubmit={run} onCancel={request.cancel}>
      <Field
        label={words.password}
        name="password"
        type="password"
        autocomplete="current-password"
        required
        error={message}
      />
    </Form>
  )
}
