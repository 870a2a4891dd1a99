import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { AdminMessage } from '../../lib/admin-contract.ts'
import { ErrorLine, Loading, useAction } from '../../parts/action.tsx'
import { AcknowledgeButton } from '../../parts/messages-banner.tsx'
import { Age, Button, Empty, Icon, Page } from '../../parts/page.tsx'
import { momentWords } from '../../stores/home-time.ts'
import { acknowledge, readMessages, waitingMessages } from '../../stores/messages.ts'
import { isAdministrator, isTablet } from '../../stores/own-session.ts'
import { words } from '../../words/messages.ts'
import { Devices } from './devices.tsx'
import { Webhooks } from './webhooks.tsx'

/** All messages of the home, newest first, with buttons to acknowledge them. */
export function MessagesPage(): JSX.Element {
  const messages = useSignal<readonly AdminMessage[] | null>(null)
  const next = useSignal<string | null>(null)
  const newest = useAction(async () => {
    const page = await readMessages(null)
    messages.value = page.messages
    next.value = page.next
  })
  const older = useAction(async () => {
    const page = await readMessages(next.value)
    messages.value = [...(messages.value ?? []), ...page.messages]
    next.value = page.next
  })
  const waiting = waitingMessages.value
  // Every new, changed or acknowledged message changes this list.
  useEffect(() => void newest.run(), [waiting])
  return (
    <Page title={words.title} aside={waiting.length > 1 && <AcknowledgeAll waiting={waiting} />}>
      <ErrorLine message={older.message} />
      {messages.value === null ? (
        <Loading error={newest.message} reload={() => void newest.run()} />
      ) : (
        <MessageList messages={messages.value} />
      )}
      {next.value !== null && <Button class="quiet more" label={words.older} action={older} />}
      {!isTablet.value && <Devices />}
      {isAdministrator.value && <Webhooks />}
    </Page>
  )
}

function AcknowledgeAll({ waiting }: { readonly waiting: readonly AdminMessage[] }): JSX.Element {
  const action = useAction(async () => {
    for (const message of waiting) await acknowledge(message)
  })
  return <Button label={action.message ?? words.acknowledgeAll} action={action} />
}

function MessageList({ messages }: { readonly messages: readonly AdminMessage[] }): JSX.Element {
  if (messages.length === 0) return <Empty icon="check" sentence={words.empty} />
  return (
    <ol class="card messages">
      {messages.map((message) => (
        <li key={message.id} class={message.acknowledged === null ? message.urgency : 'over'}>
          <Icon name={message.urgency === 'normal' ? 'activity' : 'alert'} />
          <div>
            <p dir="auto">{message.go === null ? message.title : <a href={message.go}>{message.title}</a>}</p>
            <p class="muted">
              <Age at={message.at} />
              {` · ${stateWords(message)}`}
            </p>
          </div>
          {message.acknowledged === null && <AcknowledgeButton message={message} />}
        </li>
      ))}
    </ol>
  )
}

function stateWords({ acknowledged, acknowledgedBy, ended, heldUntil }: AdminMessage): string {
  if (acknowledged !== null) return words.acknowledged(acknowledgedBy ?? '', momentWords(acknowledged))
  if (heldUntil !== null) return words.held(momentWords(heldUntil))
  return ended === null ? words.waits : words.ended(momentWords(ended))
}
