import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useRef } from 'preact/hooks'
import { confirmations, requests } from '../stores/approvals.ts'
import { words } from '../words/approvals.ts'
import { AgentRequestCard } from './agent-request.tsx'
import { Dialog } from './dialog.tsx'
import { Button, Icon } from './page.tsx'
import { approvalsText, OpeningConfirmation } from './opening-confirmation.tsx'

const APPROVALS = '/console/approvals'

/**
 * Announces waiting requests on every page. Its dialog never opens by itself, because nobody should answer a request by
 * accident.
 */
export function ApprovalsBanner(): JSX.Element {
  const { path } = useLocation()
  const isOpen = useSignal(false)
  const show = (open: boolean) => (): void => {
    isOpen.value = open
  }
  const text = path === APPROVALS ? null : approvalsText()
  return (
    <>
      <div role="status">
        {text !== null && (
          <div class="banner calls">
            <Icon name="waiting" />
            <p>{text}</p>
            <Button label={words.look} onClick={show(true)} />
          </div>
        )}
      </div>
      {isOpen.value && <ApprovalsDialog onClose={show(false)} />}
    </>
  )
}

/**
 * Shows waiting requests one by one, openings first, because somebody may stand at the door. The current request stays
 * until it is answered.
 */
function ApprovalsDialog({ onClose }: { readonly onClose: () => void }): JSX.Element | null {
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
  if (id === null) return null
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
