import type { JSX } from 'preact'
import type { Confirmation } from '../admin-contract.ts'
import { capital } from '../capital.ts'
import { tell } from '../stores/notices.ts'
import { answer } from '../stores/waiting.ts'
import { words } from '../words/approvals.ts'
import { useAction } from './action.ts'
import { TimeLeft } from './time-left.tsx'
import { useAwake } from './use-awake.ts'
import { Said } from './said.tsx'

/** A call of an agent that opens something (docs/agents.md#confirmation): what, when, by whom, and the two answers. */
export function OpeningConfirmation({ confirmation }: { readonly confirmation: Confirmation }): JSX.Element {
  const { id, what, code, label, integration, expiresAt } = confirmation
  return (
    <article class="card waiting" aria-labelledby={`opening-${id}`}>
      <h2 id={`opening-${id}`}>{words.opening(capital(what))}</h2>
      <p>{integration === null ? words.asks(label) : words.asksThrough(label, integration)}</p>
      <p class="code">
        <span>
          <span class="unseen">{words.digits}</span> {code.slice(0, 3)} {code.slice(3)}
        </span>
        {expiresAt !== undefined && <TimeLeft until={expiresAt} />}
      </p>
      <p class="muted">{words.digitsHelp}</p>
      <Answers confirmation={confirmation} />
    </article>
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
        <button type="button" class="main" disabled={!isAwake} aria-disabled={busy} onClick={() => void run(true)}>
          {words.confirmOnce}
        </button>
        <button type="button" aria-disabled={busy} onClick={() => void run(false)}>
          {words.decline}
        </button>
      </div>
    </>
  )
}
