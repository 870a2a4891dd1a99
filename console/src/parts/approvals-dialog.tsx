import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { confirmations, requests } from '../stores/approvals.ts'
import { words } from '../words/approvals.ts'
import { AgentRequestCard } from './agent-request.tsx'
import { Dialog } from './dialog.tsx'
import { OpeningConfirmation } from './opening-confirmation.tsx'

/**
 * Shows waiting requests one by one, openings first, because somebody may stand at the door. The current request stays
 * until it is answered.
 */
export function ApprovalsDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const cards = approvalCards()
  const currentId = useRef<string | null>(null)
  const { id, card } = cards.find((waiting) => waiting.id === currentId.current) ?? cards[0] ?? NO_CARD
  currentId.current = id
  const body = useRef<HTMLDivElement>(null)
  const firstId = useRef(id)
  useEffect(() => {
    if (id === null) onClose()
    // The pressed button is gone. The focus moves to the next request, but to none of its buttons.
    else if (id !== firstId.current) body.current?.focus()
  }, [id])
  if (id === null) return <></>
  return (
    <Dialog title={words.waiting} onClose={onClose}>
      <div ref={body} tabIndex={-1}>
        {card}
      </div>
      <OtherRequests count={cards.length} onClose={onClose} />
    </Dialog>
  )
}

const NO_CARD = { id: null, card: null } as const

/** A card for every waiting request, openings first. */
export const approvalCards = (): readonly { readonly id: string; readonly card: JSX.Element }[] => [
  ...confirmations.value.map((confirmation) => ({
    id: confirmation.id,
    card: <OpeningConfirmation key={confirmation.id} confirmation={confirmation} />,
  })),
  ...requests.value.map((request) => ({
    id: request.request,
    card: <AgentRequestCard key={request.request} request={request} />,
  })),
]

function OtherRequests({
  count,
  onClose,
}: {
  readonly count: number
  readonly onClose: () => void
}): JSX.Element | null {
  if (count < 2) return null
  return (
    <p class="muted">
      {words.several(count)}{' '}
      <a href="/console/approvals" onClick={onClose}>
        {words.all}
      </a>
    </p>
  )
}
