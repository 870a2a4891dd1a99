import type { JSX } from 'preact'
import type { Sender } from '../../lib/admin-contract.ts'
import { ErrorLine, useAction } from '../../parts/action.tsx'
import { Button, Card, Empty, Page } from '../../parts/page.tsx'
import { approvalCards } from '../../parts/approvals-dialog.tsx'
import { isAdministrator, isMember } from '../../stores/own-session.ts'
import { momentWords } from '../../stores/home-time.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { blockedSenders, unblockSender } from '../../stores/approvals.ts'
import { words } from '../../words/approvals.ts'
import { FindRequest } from './find-request.tsx'

/** All waiting requests that the person may decide, openings first, because somebody may stand at the door. */
export function ApprovalsPage(): JSX.Element {
  const cards = approvalCards()
  return (
    <Page title={words.title}>
      {cards.length === 0 && <Empty icon="waiting" sentence={words.empty} />}
      {cards.map(({ card }) => card)}
      {isMember.value && <FindRequest />}
      {isAdministrator.value && <BlockedSenders />}
    </Page>
  )
}

/** Blocked addresses with a button to unblock them; nothing if there are none. */
function BlockedSenders(): JSX.Element | null {
  const senders = blockedSenders.value ?? []
  const { run, busy, message } = useAction(async ({ address }: Sender) => {
    await unblockSender(address)
    showNotice(words.unblocked(address))
  })
  if (senders.length === 0) return null
  return (
    <Card title={words.blocked}>
      <ErrorLine message={message} />
      <ul class="turned-away">
        {senders.map((sender) => (
          <li key={`${sender.via} ${sender.address}`}>
            <span>
              {sender.address} <span class="muted">{words.blockedUntil(momentWords(sender.until))}</span>
            </span>
            <Button class="quiet" label={words.unblock} aria-disabled={busy} onClick={() => void run(sender)} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
