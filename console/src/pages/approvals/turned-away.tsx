import type { JSX } from 'preact'
import type { Sender } from '../../lib/admin-contract.ts'
import { momentWords } from '../../stores/home-time.ts'
import { useAction } from '../../parts/action.ts'
import { Card } from '../../parts/card.tsx'
import { Said } from '../../parts/said.tsx'
import { tell } from '../../stores/notices.ts'
import { blocked, hearAgain } from '../../stores/senders.ts'
import { words } from '../../words/approvals.ts'

/** Whose requests are not heard for a day, and the way back. Nothing where nobody is turned away. */
export function TurnedAway(): JSX.Element | null {
  const senders = blocked.value
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
            <button type="button" class="quiet" aria-disabled={busy} onClick={() => void run(sender)}>
              {words.hearAgain}
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
