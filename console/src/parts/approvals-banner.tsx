import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useRef } from 'preact/hooks'
import { confirmations, requests } from '../stores/waiting.ts'
import { words } from '../words/approvals.ts'
import { AgentRequestCard } from './agent-request.tsx'
import { Dialog } from './dialog.tsx'
import { Button, Icon } from './page.tsx'
import { OpeningConfirmation, waitingText } from './waiting.tsx'

const APPROVALS = '/console/approvals'

/**
 * Says on every page that somebody waits for a word. What waits opens when a person wants it, never by itself: nobody
 * shall answer what has just appeared.
 */
export function WaitingBanner(): JSX.Element {
  const { path } = useLocation()
  const isOpen = useSignal(false)
  const show = (open: boolean) => (): void => {
    isOpen.value = open
  }
  const text = path === APPROVALS ? null : waitingText()
  return (
    <>
      <div role="status">
        {text !== null && (
          <div class="banner calls">
            <Icon of="waiting" />
            <p>{text}</p>
            <Button says={words.look} onClick={show(true)} />
          </div>
        )}
      </div>
      {isOpen.value && <WaitingDialog onClose={show(false)} />}
    </>
  )
}

/**
 * What waits for a word, one after the other: openings first, since somebody stands before the door. What is being
 * read stays until it is settled, whatever comes meanwhile.
 */
function WaitingDialog({ onClose }: { readonly onClose: () => void }): JSX.Element | null {
  const cards = cardsNow()
  const read = useRef<string | null>(null)
  const { id, card } = cards.find((each) => each.id === read.current) ?? cards[0] ?? NOTHING
  read.current = id
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
        {card}
      </div>
      <More count={cards.length} onClose={onClose} />
    </Dialog>
  )
}

const NOTHING = { id: null, card: null } as const

/** A card for each that waits, in the order in which they are answered. */
export const cardsNow = (): readonly { readonly id: string; readonly card: JSX.Element }[] => [
  ...confirmations.value.map((confirmation) => ({
    id: confirmation.id,
    card: <OpeningConfirmation key={confirmation.id} confirmation={confirmation} />,
  })),
  ...requests.value.map((request) => ({
    id: request.request,
    card: <AgentRequestCard key={request.request} request={request} />,
  })),
]

/** The way to the others. */
function More({ count, onClose }: { readonly count: number; readonly onClose: () => void }): JSX.Element | null {
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
