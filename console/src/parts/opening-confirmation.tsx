import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Confirmation } from '../lib/admin-contract.ts'
import { gatewayNow, secondsLeft, type Span } from '../stores/gateway-clock.ts'
import { tell } from '../stores/notices.ts'
import { answer, confirmations, requests } from '../stores/waiting.ts'
import { words } from '../words/approvals.ts'
import { words as device } from '../words/device.ts'
import { capital } from '../words/frame.ts'
import { Said, useAction } from './action.tsx'
import { Button, Fact } from './page.tsx'

/** Who waits for a person's word, as one sentence; null where nobody does. */
export function waitingText(): string | null {
  const [request, confirmation] = [requests.value[0], confirmations.value[0]]
  const count = requests.value.length + confirmations.value.length
  if (count > 1) return words.several(count)
  if (confirmation) return openingWords(confirmation)
  return request ? words.asksForAccess(words.via(request.name, request.platform)) : null
}

/** Who wants to open what, each by its name in quotes; in the gateway's words where it is there no more. */
function openingWords({ label, what, scene, opens = [] }: Confirmation): string {
  const names = opens.map(({ name }) => name)
  if (scene !== undefined) return words.wantsToRun(label, scene, names)
  return names.length === 0 ? words.wants(label, what) : words.wantsToOpen(label, names)
}

/** How long something waits still, `9:12 left`, by the gateway's clock. */
export function TimeLeft({ from, until }: Span): JSX.Element {
  const seconds = secondsLeft({ from, until }, gatewayNow.value)
  if (seconds <= 0) return <span class="left">{words.over}</span>
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return <span class="left">{words.left(time)}</span>
}

/** What appears under a finger that was on its way elsewhere is not meant yet. */
const ASLEEP_MS = 700

/** False for a moment after something appeared: nobody can have meant to press it. */
export function useAwake(): boolean {
  const isAwake = useSignal(false)
  useEffect(() => {
    const timer = window.setTimeout(() => (isAwake.value = true), ASLEEP_MS)
    return () => window.clearTimeout(timer)
  }, [isAwake])
  return isAwake.value
}

/** A call of an agent that opens something (docs/agents.md#confirmation): what, when, by whom, and the two answers. */
export function OpeningConfirmation({ confirmation }: { readonly confirmation: Confirmation }): JSX.Element {
  const { id, code, integration, askedAt, expiresAt, opens } = confirmation
  return (
    <article class="card waiting" aria-labelledby={`opening-${id}`}>
      <h2 id={`opening-${id}`}>{openingWords(confirmation)}</h2>
      <dl class="facts">
        {opens !== undefined && (
          <Fact term={words.opens}>
            <ul class="openings">
              {opens.map((each, place) => (
                <Opening key={place} {...each} />
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

/** The kind of a lock or gate, its model and its id in the home: an agent may have been allowed to change its name. */
function Opening({ id, name, class: kind, model, after }: OpeningProps): JSX.Element {
  const kinds: Readonly<Record<string, string>> = device.classes
  return (
    <li>
      {words.entrance(capital(kinds[kind] ?? kind), name)}
      {after > 0 && ` ${words.openedAfter(after)}`}
      <small class="hint">{words.knownAs([model, id].filter((each) => each !== null).join(' '))}</small>
    </li>
  )
}

function Answers({ confirmation }: { readonly confirmation: Confirmation }): JSX.Element {
  const isAwake = useAwake()
  const { run, busy, said } = useAction(async (confirm: boolean) => {
    await answer(confirmation, confirm)
    // What was confirmed and not used yet may still be declined; what was declined stays so.
    if (confirm) tell(words.confirmed, () => answer(confirmation, false))
    else tell(words.declined)
  })
  return (
    <>
      <Said of={said} />
      <div class="actions">
        <Button
          class="main"
          says={words.confirmOnce}
          disabled={!isAwake}
          aria-disabled={busy}
          onClick={() => void run(true)}
        />
        <Button says={words.decline} aria-disabled={busy} onClick={() => void run(false)} />
      </div>
    </>
  )
}
