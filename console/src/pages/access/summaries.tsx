import type { JSX } from 'preact'
import type { Credential, CredentialLastUsed } from '../../lib/admin-contract.ts'
import { Last } from '../../parts/page.tsx'
import { words } from '../../words/access.ts'

const KINDS = ['floor', 'room', 'unit', 'gang', 'scene'] as const

/** What an exposure shows, in a phrase: `Sees 1 floor, 2 devices`. */
export function exposureSummary(expose: readonly string[]): string {
  if (expose.includes('all')) return words.seesAll
  const parts = KINDS.flatMap((kind) => {
    const count = expose.filter((word) => word.startsWith(`${kind}:`)).length
    return count === 0 ? [] : [words.parts[kind](count)]
  })
  return words.seesPicked(parts.join(', '))
}

/** Who comes in, in a phrase: `2 keys, 1 agent`. */
export function credentialSummary(credentials: readonly Credential[]): string {
  const parts = (['key', 'agent', 'session'] as const).flatMap((kind) => {
    const count = liveCredentials(credentials).filter((each) => each.kind === kind).length
    return count === 0 ? [] : [words.credentialKinds[kind](count)]
  })
  return parts.length === 0 ? words.noneIn : parts.join(', ')
}

/** Those that can be used, now or once what keeps them off is over. */
export const liveCredentials = (credentials: readonly Credential[]): readonly Credential[] =>
  credentials.filter(({ state }) => state !== 'ended' && state !== 'expired')

/** The last use of any of them. */
export const latestUse = (credentials: readonly Credential[]): CredentialLastUsed | null =>
  credentials
    .flatMap(({ lastUsed }) => (lastUsed === null ? [] : [lastUsed]))
    .reduce<CredentialLastUsed | null>((latest, each) => (latest === null || each.at > latest.at ? each : latest), null)

/** What a credential is called where it is shown. */
export const credentialName = ({ name, platform }: Credential): string =>
  [name === '' ? words.unnamed : name, platform].filter((part) => part !== '').join(' · ')

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

/** When a credential was used last, and which way its program came. */
export function LastUse({ used }: { readonly used: CredentialLastUsed | null }): JSX.Element {
  return (
    <>
      <Last at={used?.at ?? null} said={words.lastUsed} never={words.neverUsed} /> {used && words.via[used.via]}
    </>
  )
}
