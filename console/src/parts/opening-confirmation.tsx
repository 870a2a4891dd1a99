import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Confirmation } from '../lib/admin-contract.ts'
import { nowBySecond, secondsLeft, type Period } from '../stores/gateway-clock.ts'
import { showNotice } from '../stores/page-notices.ts'
import { answerConfirmation } from '../stores/approvals.ts'
import { words } from '../words/approvals.ts'
import { words as device } from '../words/device.ts'
import { capital } from '../words/page-frame.ts'
import { ErrorLine, useAction } from './action.tsx'
import { openingWords } from './approvals-text.ts'
import { Button, Fact } from './page.tsx'

/** Countdown of a request, `9:12 left`, by the gateway's clock. */
export function TimeLeft({ from, until }: Period): JSX.Element {
  const seconds = secondsLeft({ from, until }, nowBySecond.value)
  if (seconds <= 0) return <span class="left">{words.over}</span>
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return <span class="left">{words.left(time)}</span>
}

/** Delay before a new button reacts. */
const GUARD_MS = 700

/** False for a moment after a card appears, so that a finger already on its way does not press a button. */
export function useClickGuard(): boolean {
  const isReady = useSignal(false)
  useEffect(() => {
    const timer = window.setTimeout(() => (isReady.value = true), GUARD_MS)
    return () => window.clearTimeout(timer)
  }, [isReady])
  return isReady.value
}

/** An agent's request to open locks or gates (docs/agents.md#confirmation), with the two buttons. */
export function OpeningConfirmation({ confirmation }: { readonly confirmation: Confirmation }): JSX.Element {
  const { id, code, integration, askedAt, expiresAt, opens } = confirmation
  return (
    <article class="card waiting" aria-labelledby={`opening-${id}`}>
      <h2 id={`opening-${id}`}>{openingWords(confirmation)}</h2>
      <dl class="facts">
        {opens !== undefined && (
          <Fact term={words.opens}>
            <ul class="openings">
              {opens.map((opening, index) => (
                <Opening key={index} {...opening} />
              ))}
            </ul>
          </Fact>
        )}
        {integration !== null && <Fact term={words.through}>{integration}</Fact>}
      </dl>
      <p class="code">
        <span>
          <span class="unseen">{words.digits}</span> {code.slice(0, 3)} {code.slice(3)}
        </span>
        {expiresAt !== undefined && <TimeLeft from={askedAt} until={expiresAt} />}
      </p>
      <p class="muted">{words.digitsHelp}</p>
      <Answers confirmation={confirmation} />
    </article>
  )
}

type OpeningProps = NonNullable<Confirmation['opens']>[number]

/** A lock or gate with kind, model and id; its name alone proves nothing, because agents may rename things. */
function Opening({ id, name, class: kind, model, after }: OpeningProps): JSX.Element {
  const kinds: Readonly<Record<string, string>> = device.classes
  return (
    <li>
      {words.entrance(capital(kinds[kind] ?? kind), name)}
      {after > 0 && ` ${words.openedAfter(after)}`}
      <small class="hint">{words.knownAs([model, id].filter((part) => part !== null).join(' '))}</small>
    </li>
  )
}

function Answers({ confirmation }: { readonly confirmation: Confirmation }): JSX.Element {
  const isReady = useClickGuard()
  const { run, busy, message } = useAction(async (confirm: boolean) => {
    await answerConfirmation(confirmation, confirm)
    // Until the agent uses it, a confirmation can be withdrawn.
    if (confirm) showNotice(words.confirmed, () => answerConfirmation(confirmation, false))
    else showNotice(words.declined)
  })
  return (
    <>
      <ErrorLine message={message} />
      <div class="actions">
        <Button
          class="main"
          label={words.confirmOnce}
          disabled={!isReady}
          aria-disabled={busy}
          onClick={() => void run(true)}
        />
        <Button label={words.decline} aria-disabled={busy} onClick={() => void run(false)} />
      </div>
    </>
  )
}
