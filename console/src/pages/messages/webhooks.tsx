import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Webhook } from '../../lib/admin-contract.ts'
import { Loading, useAction } from '../../parts/action.tsx'
import { ConfirmButton, Dialog, DialogButton } from '../../parts/dialog.tsx'
import { Field, Form, NameField, Select, textOf } from '../../parts/form.tsx'
import { Button, Card, LastTime } from '../../parts/page.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { showNotice } from '../../stores/page-notices.ts'
import { useResource } from '../../stores/use-resource.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/webhooks.ts'

/** Addresses that get messages of the home (docs/messages.md#webhooks). */
export function Webhooks(): JSX.Element {
  const { value, error, reload } = useResource(() => admin.call('get', '/admin/v1/webhooks'))
  if (value === null) return <Loading error={error} reload={reload} />
  return (
    <Card title={words.title}>
      <p class="muted">{words.about}</p>
      {value.webhooks.length === 0 && <p>{words.none}</p>}
      <ul class="rows">
        {value.webhooks.map((webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} onChanged={reload} />
        ))}
      </ul>
      <div class="actions">
        <DialogButton class="main" icon="add" label={words.add}>
          {(close) => <WebhookDialog onAdded={reload} onClose={close} />}
        </DialogButton>
      </div>
    </Card>
  )
}

function WebhookRow({ webhook, onChanged }: { webhook: Webhook; onChanged: () => void }): JSX.Element {
  const { id, name, host, least, deliveries } = webhook
  const last = deliveries[0]
  const testing = useAction(async () => {
    const { delivered, reason } = await admin.call('post', '/admin/v1/webhooks/{id}/test', { path: { id } })
    showNotice(delivered ? words.tested(name) : words.notTested(name, reason ?? ''))
  })
  const remove = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/webhooks/{id}', { path: { id } })
    showNotice(words.removed(name))
    onChanged()
  }
  return (
    <li>
      <span class="grow">
        {name}
        <br />
        <span class="muted">
          {host} · {words.least[least]} ·{' '}
          {last?.error ? (
            words.failing(last.error)
          ) : (
            <LastTime at={last?.at ?? null} label={words.last} never={words.never} />
          )}
        </span>
      </span>
      <Button class="quiet" label={testing.message ?? words.test} action={testing} />
      <ConfirmButton
        label={words.remove}
        title={words.removeTitle(name)}
        verb={words.removeNamed(name)}
        onConfirm={remove}
      >
        {words.removeEffect}
      </ConfirmButton>
    </li>
  )
}

const FORMATS = ['json', 'ntfy'] as const
const URGENCIES = ['normal', 'high', 'alarm'] as const

/** Adds a webhook and shows its secret once. */
function WebhookDialog({ onAdded, onClose }: { onAdded: () => void; onClose: () => void }): JSX.Element {
  const secret = useSignal<string | null>(null)
  const format = useSignal<(typeof FORMATS)[number]>('json')
  const least = useSignal<(typeof URGENCIES)[number]>('normal')
  const { run, busy, message } = useAction(async (form: HTMLFormElement) => {
    const body = {
      name: textOf(form, 'name').trim(),
      url: textOf(form, 'url').trim(),
      format: format.value,
      least: least.value,
    }
    secret.value = (await admin.call('post', '/admin/v1/webhooks', { body })).secret
    onAdded()
  })
  if (secret.value !== null)
    return (
      <SecretDialog
        title={words.secretTitle}
        about={words.aboutSecret}
        name={words.secret}
        secret={secret.value}
        stored={words.stored}
        onClose={onClose}
      />
    )
  return (
    <Dialog title={words.add} onClose={onClose}>
      <Form verb={words.add} busy={busy} onSubmit={run} onCancel={onClose}>
        <NameField hint={words.nameHint} />
        <Field label={words.url} name="url" autocomplete="off" required hint={words.urlHint} error={message} />
        <Select
          label={words.format}
          value={format.value}
          options={FORMATS.map((one) => [one, words.formats[one]])}
          onChoose={(chosen) => (format.value = FORMATS.find((one) => one === chosen) ?? 'json')}
        />
        <Select
          label={words.from}
          value={least.value}
          options={URGENCIES.map((one) => [one, words.least[one]])}
          onChoose={(chosen) => (least.value = URGENCIES.find((one) => one === chosen) ?? 'normal')}
        />
      </Form>
    </Dialog>
  )
}
