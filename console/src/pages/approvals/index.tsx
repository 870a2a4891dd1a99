import type { JSX } from 'preact'
import { AgentRequestCard } from '../../parts/agent-request.tsx'
import { Empty } from '../../parts/empty.tsx'
import { OpeningConfirmation } from '../../parts/opening-confirmation.tsx'
import { Page } from '../../parts/page.tsx'
import { confirmations, requests } from '../../stores/waiting.ts'
import { words } from '../../words/approvals.ts'
import { TurnedAway } from './turned-away.tsx'

/** Everything that waits for a person's word: openings first, since somebody stands before the door. */
export function ApprovalsPage(): JSX.Element {
  const count = requests.value.length + confirmations.value.length
  return (
    <Page title={words.title}>
      {count === 0 && <Empty icon="waiting" sentence={words.empty} />}
      {confirmations.value.map((confirmation) => (
        <OpeningConfirmation key={confirmation.id} confirmation={confirmation} />
      ))}
      {requests.value.map((request) => (
        <AgentRequestCard key={request.request} request={request} />
      ))}
      <TurnedAway />
    </Page>
  )
}
