import type { JSX } from 'preact'
import type { Credential } from '../../lib/admin-contract.ts'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { Chip, LastTime } from '../../parts/page.tsx'
import { endAgent, ownAgents } from '../../stores/own-agents.ts'
import { words } from '../../words/own-agents.ts'

/** Agents that act for the member, each with a button to end it; nothing without agents. */
export function OwnAgents(): JSX.Element | null {
  const agents = (ownAgents.value ?? []).filter(({ state }) => state !== 'ended' && state !== 'expired')
  if (agents.length === 0) return null
  return (
    <>
      <h2>{words.title}</h2>
      <ul class="sheets">
        {agents.map((agent) => (
          <OwnAgent key={agent.link} agent={agent} />
        ))}
      </ul>
    </>
  )
}

function OwnAgent({ agent }: { readonly agent: Credential }): JSX.Element {
  const { name, platform, state, lastUsed } = agent
  return (
    <li class="card">
      <header>
        <h2>{[name, platform].filter((part) => part !== '').join(' · ')}</h2>
        {state !== 'active' && <Chip tone="warn">{words.suspended}</Chip>}
      </header>
      <p class="muted">
        <LastTime at={lastUsed?.at ?? null} label={words.lastUsed} never={words.neverUsed} />
      </p>
      <div class="actions">
        <ConfirmButton
          label={words.end}
          title={words.endTitle(name)}
          verb={words.endNamed(name)}
          onConfirm={() => endAgent(agent)}
        >
          {words.endIsFinal}
        </ConfirmButton>
      </div>
    </li>
  )
}
