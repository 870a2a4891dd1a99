import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { AgentRequest, AgentsAcceptBody } from '../lib/admin-contract.ts'
import { tell } from '../stores/notices.ts'
import { hearAgain } from '../stores/senders.ts'
import { accept, deny } from '../stores/waiting.ts'
import { words } from '../words/approvals.ts'
import { useAction } from './action.ts'
import { type AccessChoice, AgentAccess, choiceOf, NOTHING_CHOSEN } from './agent-access.tsx'
import { AgentFacts } from './agent-facts.tsx'
import { TimeLeft } from './time-left.tsx'
import { useAwake } from './use-awake.ts'
import { Said } from './said.tsx'

/** An agent that asks for access (docs/agents.md#pairing): its code, what is known of it, and the four answers. */
export function AgentRequestCard({ request }: { readonly request: AgentRequest }): JSX.Element {
  const choice = useSignal<AccessChoice>(NOTHING_CHOSEN)
  const { request: id, code, name, platform, expiresAt } = request
  return (
    <article class="card waiting" aria-labelledby={`request-${id}`}>
      <h2 id={`request-${id}`}>{words.asksForAccess(words.via(name, platform))}</h2>
      <p class="code">
        <span>
          <span class="unseen">{words.code}</span> {code}
        </span>
        <TimeLeft from={request.askedAt} until={expiresAt} />
      </p>
      <p class="muted">{words.compare}</p>
      <AgentFacts request={request} />
      <AgentAccess request={request} choice={choice} />
      <Answers request={request} choice={choiceOf(request, choice.value)} />
    </article>
  )
}

interface AnswersProps {
  readonly request: AgentRequest
  /** Null while it has to be chosen what the agent gets. */
  readonly choice: AgentsAcceptBody | null
}

function Answers({ request, choice }: AnswersProps): JSX.Element {
  const isAwake = useAwake()
  const { name, hosted, peer } = request
  const accepting = useAction(async (session: boolean) => {
    await accept(request, { ...choice, session })
    tell(words.accepted(name))
  })
  const denying = useAction(async (block: boolean) => {
    await deny(request, block)
    if (block) tell(words.deniedAndBlocked(name), () => hearAgain(peer))
    else tell(words.denied(name))
  })
  const busy = accepting.busy || denying.busy
  const isAsleep = !isAwake || busy || choice === null
  const said = accepting.said ?? denying.said
  return (
    <>
      <Said of={said} />
      <div class="actions">
        <button type="button" class="main" disabled={isAsleep} onClick={() => void accepting.run(false)}>
          {words.accept}
        </button>
        {!hosted && (
          <button type="button" disabled={isAsleep} onClick={() => void accepting.run(true)}>
            {words.onlySession}
          </button>
        )}
        <button type="button" aria-disabled={busy} onClick={() => void denying.run(false)}>
          {words.deny}
        </button>
        <button type="button" class="quiet danger" aria-disabled={busy} onClick={() => void denying.run(true)}>
          {words.denyAndBlock}
        </button>
      </div>
    </>
  )
}
