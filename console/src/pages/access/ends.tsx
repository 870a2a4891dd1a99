import type { JSX } from 'preact'
import type { Credential } from '../../lib/admin-contract.ts'
import { words } from '../../words/access.ts'
import { liveCredentials } from './summaries.ts'

interface EndsProps {
  readonly credentials: readonly Credential[]
  readonly leave: { readonly switchedOff?: readonly string[]; readonly scenesRefused?: readonly string[] }
}

/** What ends for others, counted: credentials, their streams, and what opened by their leave. */
export function Ends({ credentials, leave: { switchedOff = [], scenesRefused = [] } }: EndsProps): JSX.Element {
  const live = liveCredentials(credentials)
  const streams = live.reduce((sum, each) => sum + each.streams, 0)
  const isNothing = live.length + switchedOff.length + scenesRefused.length === 0
  if (isNothing) return <p>{words.endsNobody}</p>
  return (
    <ul class="ends">
      {live.length > 0 && <li>{words.endsCredentials(live.length)}</li>}
      {streams > 0 && <li>{words.endsStreams(streams)}</li>}
      {switchedOff.length > 0 && <li>{words.endsRules(switchedOff)}</li>}
      {scenesRefused.length > 0 && <li>{words.endsScenes(scenesRefused)}</li>}
    </ul>
  )
}
