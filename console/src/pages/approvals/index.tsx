import type { JSX } from 'preact'
import type { Sender } from '../../lib/admin-contract.ts'
import { Said, useAction } from '../../parts/action.tsx'
import { Button, Card, Empty, Page } from '../../parts/page.tsx'
import { cardsNow } from '../../parts/waiting-banner.tsx'
import { momentWords } from '../../stores/home-time.ts'
import { tell } from '../../stores/notices.ts'
import { blocked, hearAgain } from '../../stores/waiting.ts'
import { words } from '../../words/approvals.ts'

/** Everything that waits for a person's word: openings first, since somebody stands before the door. */
export function ApprovalsPage(): JSX.Element {
  const cards = cardsNow()
  return (
    <Page title={words.title}>
      {cards.length === 0 && <Empty icon="waiting" sentence={words.empty} />}
      {cards.map(({ card }) => card)}
      <TurnedAway />
    </Page>
  )
}

/** Whose requests are not heard for a day, and the way back. Nothing where nobody is turned away. */
function TurnedAway(): JSX.Element | null {
  const senders = blocked.value ?? []
  const { run, busy, said } = useAction(async ({ address }: Sender) => {
    await hearAgain(address)
    tell(words.heardAgain(address))
  })
  if (senders.length === 0) return null
  return (
    <Card title={words.blocked}>
      <Said of={said} />
      <ul class="turned-away">
        {senders.map((sender) => (
          <li key={`${sender.via} ${sender.address}`}>
            <span>
              {sender.address} <span class="muted">{words.blockedUntil(momentWords(sender.until))}</span>
            </span>
            <Button class="quiet" says={words.hearAgain} aria-disabled={busy} onClick={() => void run(sender)} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
