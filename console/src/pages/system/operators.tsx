import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Operator } from '../../lib/admin-contract.ts'
import { Told, Unread, useAction } from '../../parts/action.tsx'
import { Secret } from '../../parts/copy-button.tsx'
import { Dialog, EndingDialog, Opens } from '../../parts/dialog.tsx'
import { Check, Form, NameField, textOf } from '../../parts/form.tsx'
import { Button, Card, Last } from '../../parts/page.tsx'
import { tell } from '../../stores/notices.ts'
import { accessChanges } from '../../stores/pushed.ts'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/operators.ts'

/** The tokens of programs that look after the gateway (docs/operations.md#tokens). */
export function Operators(): JSX.Element {
  const { value, error, again } = useReading(() => admin.call('get', '/admin/v1/operators'), accessChanges.value)
  if (value === null) return <Unread error={error} again={again} />
  return (
    <Card title={words.title}>
      <p class="muted">{words.about}</p>
      {value.operators.length === 0 && <p>{words.none}</p>}
      <ul class="rows">
        {value.operators.map((each) => (
          <OperatorRow key={each.id} operator={each} onEnded={again} />
        ))}
      </ul>
      <div class="actions">
        <Opens class="main" icon="add" says={words.make}>
          {(close) => <OperatorDialog onMade={again} onClose={close} />}
        </Opens>
      </div>
    </Card>
  )
}

function OperatorRow({ operator, onEnded }: { operator: Operator; onEnded: () => void }): JSX.Element {
  const { id, name, scopes, usedAt } = operator
  const end = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/operators/{id}', { path: { id } })
    tell(words.ended(name))
    onEnded()
  }
  return (
    <li>
      <span class="grow">
        {name}
        <br />
        <span class="muted">
          {scopes.map((scope) => words.scopes[scope]).join(' · ')} ·{' '}
          <Last at={usedAt} said={words.usedAt} never={words.never} />
        </span>
      </span>
      <Opens class="quiet danger" says={words.end} aria-label={words.endNamed(name)}>
        {(close) => (
          <EndingDialog title={words.endTitle(name)} verb={words.endNamed(name)} onEnd={end} onClose={close}>
            <p>{words.ends}</p>
          </EndingDialog>
        )}
      </Opens>
    </li>
  )
}

const SCOPES = ['metrics', 'backup'] as const

/** Makes a token for a program that looks after the gateway; only the word that it is stored closes it. */
function OperatorDialog({ onMade, onClose }: { onMade: () => void; onClose: () => void }): JSX.Element {
  const token = useSignal<string | null>(null)
  const { run, busy, said } = useAction(async (form: HTMLFormElement) => {
    const ticked = new FormData(form)
    const scopes = SCOPES.filter((scope) => ticked.has(scope))
    if (scopes.length === 0) throw new Error(words.needsScope)
    const name = textOf(form, 'name').trim()
    token.value = (await admin.call('post', '/admin/v1/operators', { body: { name, scopes } })).token
    onMade()
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
        <NameField hint={words.nameHint} said={said} />
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
        <Secret name={words.made} text={token} />
      </div>
      <div class="actions">
        <Button class="main" says={words.stored} onClick={onClose} />
      </div>
    </Dialog>
  )
}
