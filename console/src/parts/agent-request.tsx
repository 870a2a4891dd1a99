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
import { ownAgents } from '../stores/own-agents.ts'
import { isAdministrator } from '../stores/own-session.ts'
import { showNotice } from '../stores/page-notices.ts'
import { acceptAgent, denyAgent, unblockSender } from '../stores/approvals.ts'
import { words } from '../words/approvals.ts'
import { knobWords, scopeWords } from '../words/scope.ts'
import { ErrorLine, useAction } from './action.tsx'
import { Select } from './form.tsx'
import { Button, Fact } from './page.tsx'
import { TimeLeft, useClickGuard } from './opening-confirmation.tsx'

/** An agent's request for access (docs/agents.md#pairing): matching code, facts, and the buttons. */
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
      {isAdministrator.value ? (
        <AgentAccess request={request} choice={choice} />
      ) : (
        <ExistingAccess request={request} existing={ownExisting(request)} integration={null} choice={choice} />
      )}
      <Answers request={request} choice={choiceOf(request, choice.value)} />
    </article>
  )
}

interface AnswersProps {
  readonly request: AgentRequest
  /** Null until the person has chosen an integration. */
  readonly choice: AgentsAcceptBody | null
}

function Answers({ request, choice }: AnswersProps): JSX.Element {
  const isReady = useClickGuard()
  const { name, hosted, peer } = request
  const accepting = useAction(async (session: boolean) => {
    await acceptAgent(request, { ...choice, session })
    showNotice(words.accepted(name))
  })
  const denying = useAction(async (block: boolean) => {
    await denyAgent(request, block)
    if (block) showNotice(words.deniedAndBlocked(name), () => unblockSender(peer))
    else showNotice(words.denied(name))
  })
  const busy = accepting.busy || denying.busy
  const isDisabled = !isReady || busy || choice === null
  const message = accepting.message ?? denying.message
  return (
    <>
      <ErrorLine message={message} />
      <div class="actions">
        <Button class="main" label={words.accept} disabled={isDisabled} onClick={() => void accepting.run(false)} />
        {!hosted && <Button label={words.onlySession} disabled={isDisabled} onClick={() => void accepting.run(true)} />}
        <Button label={words.deny} aria-disabled={busy} onClick={() => void denying.run(false)} />
        {isAdministrator.value && (
          <Button
            class="quiet danger"
            label={words.denyAndBlock}
            aria-disabled={busy}
            onClick={() => void denying.run(true)}
          />
        )}
      </div>
    </>
  )
}

/** Origin, publisher and wishes of an agent. */
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

/** Facts about a hosted platform's client: account, publisher, and the host that receives its tokens. */
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

/** The agent's suggested scope, with the agent's names for things. The person decides. */
function suggestedWords({ exposure, settings = {} }: SuggestedScope): string {
  const seen = exposure === 'All' ? [words.wouldSeeAll] : exposure ? [words.wouldSee(exposure.join(', '))] : []
  return [...seen, ...knobWords(settings)].join(' · ')
}

/** The person's choice for an agent; null means the default. */
interface AccessChoice {
  /** Integration id. */
  readonly integration: string | null
  readonly replaces: Replaced
}
/** Link of the credential that the new one replaces, or `+` to keep all of them. */
type Replaced = string | null
const ADD = '+'

const NOTHING_CHOSEN: AccessChoice = { integration: null, replaces: null }

interface AgentAccessProps {
  readonly request: AgentRequest
  readonly choice: Signal<AccessChoice>
}

/** Selects the agent's integration, and whether its existing access is replaced. */
function AgentAccess({ request, choice }: AgentAccessProps): JSX.Element | null {
  if (integrations.value === null) return null
  const possible = possibleFor(request)
  const chosen = chosenOf(request, choice.value)
  const named = possible.map(({ id, name }) => [id, name] as const)
  const options = chosen === null ? [['', words.choose] as const, ...named] : named
  if (possible.length === 0) return <NoIntegration hosted={request.hosted} />
  const choose = (integration: string): void => {
    choice.value = { integration: integration === '' ? null : integration, replaces: null }
  }
  return (
    <>
      <Select label={words.integration} value={chosen?.id ?? ''} options={options} onChoose={choose} />
      {chosen !== null && <p class="muted">{scopeWords(chosen, house.value)}</p>}
      {chosen !== null && (
        <ExistingAccess
          request={request}
          existing={existingIn(request, chosen.credentials)}
          integration={chosen.id}
          choice={choice}
        />
      )}
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

interface ExistingAccessProps extends AgentAccessProps {
  readonly existing: readonly Credential[]
  /** Null for a member, whose agents get the member's own record. */
  readonly integration: string | null
}

/** Credentials that the agent already has: the new one replaces one of them, or is added. */
function ExistingAccess({ request, existing, integration, choice }: ExistingAccessProps): JSX.Element | null {
  if (existing.length === 0) return null
  const replaces = replacedOf(existing, choice.value)
  const option = (value: string, text: string): JSX.Element => (
    <label key={value} class="check">
      <input
        type="radio"
        name={`replaces-${request.request}`}
        checked={replaces === value}
        onChange={() => (choice.value = { ...choice.value, integration, replaces: value })}
      />
      <span>{text}</span>
    </label>
  )
  return (
    <fieldset>
      <legend>{words.hadBefore}</legend>
      {existing.map(({ link, label }) => option(link, words.replace(label)))}
      {option(ADD, words.add)}
    </fieldset>
  )
}

/** Body of the accept call; null until an integration is chosen. */
function choiceOf(request: AgentRequest, choice: AccessChoice): AgentsAcceptBody | null {
  if (!isAdministrator.value) return replacement(ownExisting(request), choice)
  const chosen = chosenOf(request, choice)
  if (chosen === null) return null
  return { integration: chosen.id, ...replacement(existingIn(request, chosen.credentials), choice) }
}

function replacement(existing: readonly Credential[], choice: AccessChoice): AgentsAcceptBody {
  const replaces = replacedOf(existing, choice)
  if (existing.length === 0 || replaces === null) return {}
  return replaces === ADD ? { add: true } : { replace: replaces }
}

/** Live credentials of the same agent in the member's record. */
const ownExisting = (request: AgentRequest): readonly Credential[] => existingIn(request, ownAgents.value ?? [])

/** Integrations that accept this agent: docs/agents.md#pairing. */
function possibleFor({ record, hosted }: AgentRequest): readonly Integration[] {
  return (integrations.value ?? []).filter(
    ({ id, enabled, settings }) =>
      (record === null || record === id) &&
      enabled &&
      settings.agent_access === 'on' &&
      (!hosted || settings.cloud_access === 'on'),
  )
}

/** The chosen integration, or the only possible one. */
function chosenOf(request: AgentRequest, { integration }: AccessChoice): Integration | null {
  const possible = possibleFor(request)
  const only = possible.length === 1 ? possible[0] : undefined
  return possible.find(({ id }) => id === integration) ?? only ?? null
}

/** Live credentials of an agent with the same name and platform. */
const existingIn = ({ name, platform }: AgentRequest, credentials: readonly Credential[]): readonly Credential[] =>
  credentials.filter(
    (credential) =>
      credential.kind !== 'key' &&
      credential.name === name &&
      credential.platform === platform &&
      credential.state !== 'ended' &&
      credential.state !== 'expired',
  )

/** The chosen credential while it exists, else the first. */
function replacedOf(existing: readonly Credential[], { replaces }: AccessChoice): Replaced {
  const first = existing[0]?.link ?? null
  if (replaces === null) return first
  return replaces === ADD || existing.some(({ link }) => link === replaces) ? replaces : first
}
