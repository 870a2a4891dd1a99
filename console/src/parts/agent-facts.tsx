import type { JSX } from 'preact'
import type { AgentRequest, HostedClient, SuggestedScope } from '../lib/admin-contract.ts'
import { words } from '../words/approvals.ts'
import { knobWords } from '../words/scope.ts'

/** What is known of an agent that asks: whence it came, who stands behind it, what it would like. */
export function AgentFacts({ request }: { readonly request: AgentRequest }): JSX.Element {
  const { via, peer, client, suggested } = request
  return (
    <dl class="facts">
      <dt>{words.from}</dt>
      <dd>{via === 'cloud' ? words.fromCloud(peer) : words.fromHome(peer)}</dd>
      {client !== null && <HostedFacts client={client} />}
      {suggested !== null && (
        <>
          <dt>{words.wouldLike}</dt>
          <dd>{suggestedWords(suggested)}</dd>
        </>
      )}
    </dl>
  )
}

/** A hosted platform's client: who signed in, who stands behind its name, where its tokens go. */
function HostedFacts({ client }: { readonly client: HostedClient }): JSX.Element {
  const { account, id, proved, redirectHost } = client
  return (
    <>
      <dt>{words.forAccount}</dt>
      <dd>{words.account(account)}</dd>
      <dt>{words.namedBy}</dt>
      <dd>{proved ? words.named(id) : words.namedItself}</dd>
      <dt>{words.goesTo}</dt>
      <dd>
        <strong>{redirectHost}</strong>
      </dd>
    </>
  )
}

/** What an agent says that it would like, things by its own names of them; it decides nothing. */
function suggestedWords({ exposure, settings = {} }: SuggestedScope): string {
  const seen = exposure === 'All' ? [words.wouldSeeAll] : exposure ? [words.wouldSee(exposure.join(', '))] : []
  return [...seen, ...knobWords(settings)].join(' · ')
}
