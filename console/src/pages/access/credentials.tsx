import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Credential, CredentialLastUsed, KeysShowAnswer } from '../../lib/admin-contract.ts'
import { useAction } from '../../parts/action.tsx'
import { EndingDialog } from '../../parts/dialog.tsx'
import { Button, Chip, Empty, Icon, Last } from '../../parts/page.tsx'
import { readIntegrations } from '../../stores/integrations.ts'
import { tell } from '../../stores/notices.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/access.ts'

const TONES = { active: 'ok', suspended: 'warn', expired: 'plain', ended: 'plain', disabled: 'plain' } as const

/** Who comes in by an integration: keys and agents, when they did last, and a way to end each. */
export function Credentials({ credentials }: { readonly credentials: readonly Credential[] }): JSX.Element {
  const ending = useSignal<KeysShowAnswer | null>(null)
  const shown = credentials.filter(({ state }) => state !== 'ended')
  if (shown.length === 0) return <Empty icon="plug" sentence={words.noneIn} />
  return (
    <>
      <ul class="credentials">
        {shown.map((each) => (
          <CredentialRow key={each.link} credential={each} onRevoke={(found) => (ending.value = found)} />
        ))}
      </ul>
      {ending.value !== null && <Revoking found={ending.value} onClose={() => (ending.value = null)} />}
    </>
  )
}

interface CredentialRowProps {
  readonly credential: Credential
  readonly onRevoke: (found: KeysShowAnswer) => void
}

function CredentialRow({ credential, onRevoke }: CredentialRowProps): JSX.Element {
  const { link, kind, state, stale, streams, lastUsed } = credential
  const name = credentialName(credential)
  // What ends with it is read when it is asked for: other rules may open by it now than a while ago.
  const reading = useAction(async () =>
    onRevoke(await admin.call('get', '/admin/v1/keys/{id}', { path: { id: link } })),
  )
  return (
    <li>
      <Icon of={kind === 'key' ? 'key' : 'agent'} />
      <span class="what">
        <span class="head">
          <span class="name">{name}</span>
          {state !== 'active' && <Chip tone={TONES[state]}>{words.states[state]}</Chip>}
          {stale && <Chip tone="warn" icon="clock" says={words.stale} />}
          {streams > 0 && <Chip tone="ok" icon="link" says={words.streams(streams)} />}
        </span>
        <span class="muted">
          {words.kindOf[kind]} · <LastUse used={lastUsed} />
        </span>
        {reading.said !== null && <span role="alert">{reading.said}</span>}
      </span>
      <Button class="quiet danger" says={words.revoke} aria-label={words.revokeNamed(name)} does={reading} />
    </li>
  )
}

function Revoking({ found: { key, ...leave }, onClose }: { found: KeysShowAnswer; onClose: () => void }): JSX.Element {
  const name = credentialName(key)
  const revoke = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/keys/{id}', { path: { id: key.link } })
    await readIntegrations()
    tell(words.revoked(name))
  }
  return (
    <EndingDialog title={words.revokeTitle(name)} verb={words.revokeNamed(name)} onEnd={revoke} onClose={onClose}>
      <Ends credentials={[key]} leave={leave} />
      <p>{words.revokedAtOnce}</p>
    </EndingDialog>
  )
}

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
const credentialName = ({ name, platform }: Credential): string =>
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
