import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import type { AgentRequest, AgentsAcceptBody, Credential, Integration } from '../lib/admin-contract.ts'
import { house } from '../stores/home.ts'
import { integrations } from '../stores/integrations.ts'
import { words } from '../words/approvals.ts'
import { scopeWords } from '../words/scope.ts'

/** What was chosen for an agent; null where nothing was, and what stands by itself holds. */
export interface AccessChoice {
  /** The id of the integration. */
  readonly integration: string | null
  readonly beside: Beside
}
/** The link of what the new credential replaces, or `+` where it stands beside that. */
type Beside = string | null
const ADD = '+'

export const NOTHING_CHOSEN: AccessChoice = { integration: null, beside: null }

interface AgentAccessProps {
  readonly request: AgentRequest
  readonly choice: Signal<AccessChoice>
}

/** Through which integration an agent gets its access, and what becomes of the access that it has. */
export function AgentAccess({ request, choice }: AgentAccessProps): JSX.Element | null {
  if (integrations.value === null) return null
  const possible = possibleFor(request)
  const chosen = chosenOf(request, choice.value)
  if (possible.length === 0) return <NoIntegration hosted={request.hosted} />
  const choose = (integration: string): void => {
    choice.value = { integration: integration === '' ? null : integration, beside: null }
  }
  return (
    <>
      <label class="field">
        <span>{words.integration}</span>
        <select value={chosen?.id ?? ''} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {chosen === null && <option value="">{words.choose}</option>}
          {possible.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
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
        onChange={() => {
          choice.value = { ...choice.value, integration: integration.id, beside: value }
        }}
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
export function choiceOf(request: AgentRequest, choice: AccessChoice): AgentsAcceptBody | null {
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
