import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { confirmations, requests } from '../stores/waiting.ts'
import { words } from '../words/approvals.ts'
import { AgentRequestCard } from './agent-request.tsx'
import { Dialog } from './dialog.tsx'
import { OpeningConfirmation } from './opening-confirmation.tsx'

/** What waits for a word, one after the other: openings first, since somebody stands before the door. */
export function WaitingDialog({ onClose }: { readonly onClose: () => void }): JSX.Element | null {
  const [confirmation, request] = [confirmations.value[0], requests.value[0]]
  const id = confirmation?.id ?? request?.request ?? null
  const shown = useRef<HTMLDivElement>(null)
  const first = useRef(id)
  useEffect(() => {
    if (id === null) onClose()
    // What was pressed is gone with what it was about: the focus goes to what comes next, and to none of its buttons.
    else if (id !== first.current) shown.current?.focus()
  }, [id])
  if (id === null) return null
  return (
    <Dialog title={words.waiting} onClose={onClose}>
      <div ref={shown} tabIndex={-1}>
        {confirmation ? (
          <OpeningConfirmation key={id} confirmation={confirmation} />
        ) : (
          request && <AgentRequestCard key={id} request={request} />
        )}
      </div>
      <More onClose={onClose} />
    </Dialog>
  )
}

/** The way to the others. */
function More({ onClose }: { readonly onClose: () => void }): JSX.Element | null {
  const count = requests.value.length + confirmations.value.length
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
