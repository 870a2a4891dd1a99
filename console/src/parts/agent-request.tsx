import { type Signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type {
  AgentRequest,
  AgentsAcceptBody,
  Credential,
  HostedClient,
  Integration,
  SuggestedScope,
} from '../lib/admin-contract.ts'
import { house } from '../stores/home.ts'
import { integrations } from '../stores/integrations.ts'
import { tell } from '../stores/notices.ts'
import { accept, deny, hearAgain } from '../stores/waiting.ts'
import { words } from '../words/approvals.ts'
import { knobWords, scopeWords } from '../words/scope.ts'
import { Said, useAction } from './action.tsx'
import { Select } from './form.tsx'
import { Button, Fact } from './page.tsx'
import { TimeLeft, useAwake } from './waiting.tsx'

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
        <Button class="main" says={words.accept} disabled={isAsleep} onClick={() => void accepting.run(false)} />
        {!hosted && <Button says={words.onlySession} disabled={isAsleep} onClick={() => void accepting.run(true)} />}
        <Button says={words.deny} aria-disabled={busy} onClick={() => void denying.run(false)} />
        <Button
          class="quiet danger"
          says={words.denyAndBlock}
          aria-disabled={busy}
          onClick={() => void denying.run(true)}
        />
      </div>
    </>
  )
}

/** What is known of an agent that asks: whence it came, who stands behind it, what it would like. */
function AgentFacts({ request }: { readonly request: AgentRequest }): JSX.Element {
  const { via, peer, client, suggested } = request
  return (
    <dl class="facts">
      <Fact term={words.from}>{via === 'cloud' ? words.fromCloud(peer) : words.fromHome(peer)}</Fact>
      {client !== null && <HostedFacts client={client} />}
      {suggested !== null && <Fact term={words.wouldLike}>{suggestedWords(suggested)}</Fact>}
    </dl>
  )
}

/** A hosted platform's client: who signed in, who stands behind its name, where its tokens go. */
function HostedFacts({ client }: { readonly client: HostedClient }): JSX.Element {
  const { account, id, proved, redirectHost } = client
  return (
    <>
      <Fact term={words.forAccount}>{words.account(account)}</Fact>
      <Fact term={words.namedBy}>{proved ? words.named(id) : words.namedItself}</Fact>
      <Fact term={words.goesTo}>
        <strong>{redirectHost}</strong>
      </Fact>
    </>
  )
}

/** What an agent says that it would like, things by its own names of them; it decides nothing. */
function suggestedWords({ exposure, settings = {} }: SuggestedScope): string {
  const seen = exposure === 'All' ? [words.wouldSeeAll] : exposure ? [words.wouldSee(exposure.join(', '))] : []
  return [...seen, ...knobWords(settings)].join(' · ')
}

/** What was chosen for an agent; null where nothing was, and what stands by itself holds. */
interface AccessChoice {
  /** The id of the integration. */
  readonly integration: string | null
  readonly beside: Beside
}
/** The link of what the new credential replaces, or `+` where it stands beside that. */
type Beside = string | null
const ADD = '+'

const NOTHING_CHOSEN: AccessChoice = { integration: null, beside: null }

interface AgentAccessProps {
  readonly request: AgentRequest
  readonly choice: Signal<AccessChoice>
}

/** Through which integration an agent gets its access, and what becomes of the access that it has. */
function AgentAccess({ request, choice }: AgentAccessProps): JSX.Element | null {
  if (integrations.value === null) return null
  const possible = possibleFor(request)
  const chosen = chosenOf(request, choice.value)
  const named = possible.map(({ id, name }) => [id, name] as const)
  const options = chosen === null ? [['', words.choose] as const, ...named] : named
  if (possible.length === 0) return <NoIntegration hosted={request.hosted} />
  const choose = (integration: string): void => {
    choice.value = { integration: integration === '' ? null : integration, beside: null }
  }
  return (
    <>
      <Select label={words.integration} value={chosen?.id ?? ''} options={options} onChoose={choose} />
      {chosen !== null && <p class="muted">{scopeWords(chosen, house.value)}</p>}
      {chosen !== null && <Known request={request} integration={chosen} choice={choice} />}
    </>
  )
}

function NoIntegration({ hosted }: { readonly hosted: boolean }): JSX.Element {
  return (
    <p>
      {words.noIntegration(hosted)} <a href="/console/access">{words.toAccess}</a>
    </p>
  )
}

interface KnownProps extends AgentAccessProps {
  readonly integration: Integration
}

/** What the same agent has already: it is replaced, or stands beside the new one. */
function Known({ request, integration, choice }: KnownProps): JSX.Element | null {
  const known = knownIn(request, integration)
  if (known.length === 0) return null
  const beside = besideOf(known, choice.value)
  const option = (value: string, text: string): JSX.Element => (
    <label key={value} class="check">
      <input
        type="radio"
        name={`beside-${request.request}`}
        checked={beside === value}
        onChange={() => (choice.value = { ...choice.value, integration: integration.id, beside: value })}
      />
      <span>{text}</span>
    </label>
  )
  return (
    <fieldset>
      <legend>{words.hadBefore}</legend>
      {known.map(({ link, label }) => option(link, words.replace(label)))}
      {option(ADD, words.add)}
    </fieldset>
  )
}

/** What the gateway is asked for; null where something has to be chosen first. */
function choiceOf(request: AgentRequest, choice: AccessChoice): AgentsAcceptBody | null {
  const chosen = chosenOf(request, choice)
  if (chosen === null) return null
  const known = knownIn(request, chosen)
  const beside = besideOf(known, choice)
  if (known.length === 0 || beside === null) return { integration: chosen.id }
  return { integration: chosen.id, ...(beside === ADD ? { add: true } : { replace: beside }) }
}

/** Integrations that take the agent now: docs/agents.md#pairing. */
function possibleFor({ record, hosted }: AgentRequest): readonly Integration[] {
  return (integrations.value ?? []).filter(
    ({ id, enabled, settings }) =>
      (record === null || record === id) &&
      enabled &&
      settings.agent_access === 'on' &&
      (!hosted || settings.cloud_access === 'on'),
  )
}

/** The one that was chosen, or the only one that there is to choose. */
function chosenOf(request: AgentRequest, { integration }: AccessChoice): Integration | null {
  const possible = possibleFor(request)
  const only = possible.length === 1 ? possible[0] : undefined
  return possible.find(({ id }) => id === integration) ?? only ?? null
}

/** What an agent of the same name and platform can come in with. */
const knownIn = ({ name, platform }: AgentRequest, { credentials }: Integration): readonly Credential[] =>
  credentials.filter(
    (each) =>
      each.kind !== 'key' &&
      each.name === name &&
      each.platform === platform &&
      each.state !== 'ended' &&
      each.state !== 'expired',
  )

/** What was chosen while that is there; unless said otherwise the new one takes the place of the first. */
function besideOf(known: readonly Credential[], { beside }: AccessChoice): Beside {
  const first = known[0]?.link ?? null
  if (beside === null) return first
  return beside === ADD || known.some(({ link }) => link === beside) ? beside : first
}
