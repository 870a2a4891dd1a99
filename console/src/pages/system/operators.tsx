import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Operator } from '../../lib/admin-contract.ts'
import { Loading, useAction } from '../../parts/action.tsx'
import { ConfirmButton, Dialog, DialogButton } from '../../parts/dialog.tsx'
import { Checkbox, Form, NameField, textOf } from '../../parts/form.tsx'
import { Card, LastTime } from '../../parts/page.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { showNotice } from '../../stores/page-notices.ts'
import { accessChanges } from '../../stores/admin-topics.ts'
import { useResource } from '../../stores/use-resource.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/operators.ts'

/** Tokens for monitoring and backup programs (docs/operations.md#tokens). */
export function Operators(): JSX.Element {
  const { value, error, reload } = useResource(() => admin.call('get', '/admin/v1/operators'), accessChanges.value)
  if (value === null) return <Loading error={error} reload={reload} />
  return (
    <Card title={words.title}>
      <p class="muted">{words.about}</p>
      {value.operators.length === 0 && <p>{words.none}</p>}
      <ul class="rows">
        {value.operators.map((operator) => (
          <OperatorRow key={operator.id} operator={operator} onRevoked={reload} />
        ))}
      </ul>
      <div class="actions">
        <DialogButton class="main" icon="add" label={words.make}>
          {(close) => <OperatorDialog onCreated={reload} onClose={close} />}
        </DialogButton>
      </div>
    </Card>
  )
}

function OperatorRow({ operator, onRevoked }: { operator: Operator; onRevoked: () => void }): JSX.Element {
  const { id, name, scopes, usedAt } = operator
  const revoke = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/operators/{id}', { path: { id } })
    showNotice(words.revoked(name))
    onRevoked()
  }
  return (
    <li>
      <span class="grow">
        {name}
        <br />
        <span class="muted">
          {scopes.map((scope) => words.scopes[scope]).join(' · ')} ·{' '}
          <LastTime at={usedAt} label={words.usedAt} never={words.never} />
        </span>
      </span>
      <ConfirmButton
        label={words.revoke}
        title={words.revokeTitle(name)}
        verb={words.revokeNamed(name)}
        onConfirm={revoke}
      >
        {words.revokeEffect}
      </ConfirmButton>
    </li>
  )
}

const SCOPES = ['metrics', 'backup'] as const

/** Creates a token and shows it once; only the button for a stored token closes the dialog. */
function OperatorDialog({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }): JSX.Element {
  const token = useSignal<string | null>(null)
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    const ticked = new FormData(form)
    const scopes = SCOPES.filter((scope) => ticked.has(scope))
    if (scopes.length === 0) throw new Error(words.needsScope)
    const name = textOf(form, 'name').trim()
    token.value = (await admin.call('post', '/admin/v1/operators', { body: { name, scopes } })).token
    onCreated()
  })
  if (token.value !== null)
    return (
      <SecretDialog
        title={words.tokenTitle}
        about={words.aboutToken}
        name={words.token}
        secret={token.value}
        stored={words.stored}
        onClose={onClose}
      />
    )
  return (
    <Dialog title={words.makeTitle} onClose={onClose}>
      <Form verb={words.make} busy={busy} onSubmit={run} onCancel={onClose}>
        <fieldset class="scopes">
          <legend>{words.scopesTitle}</legend>
          {SCOPES.map((scope) => (
            <Checkbox key={scope} name={scope} defaultChecked={scope === 'metrics'}>
              {words.scopes[scope]}
            </Checkbox>
          ))}
        </fieldset>
        <NameField hint={words.nameHint} error={message} />
      </Form>
    </Dialog>
  )
}
