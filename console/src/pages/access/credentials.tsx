import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Credential, CredentialLastUsed, KeysShowAnswer } from '../../lib/admin-contract.ts'
import { useAction } from '../../parts/action.tsx'
import { ConfirmDialog } from '../../parts/dialog.tsx'
import { Button, Chip, Empty, Icon, LastTime } from '../../parts/page.tsx'
import { readIntegrations } from '../../stores/integrations.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/access.ts'

const TONES = { active: 'ok', suspended: 'warn', expired: 'plain', ended: 'plain', disabled: 'plain' } as const

/** Keys and agents of an integration, with their last use and a button to revoke them. */
export function Credentials({ credentials }: { readonly credentials: readonly Credential[] }): JSX.Element {
  const toRevoke = useSignal<KeysShowAnswer | null>(null)
  const openDialog = (details: KeysShowAnswer) => (toRevoke.value = details)
  const visible = credentials.filter(({ state }) => state !== 'ended')
  if (visible.length === 0) return <Empty icon="plug" sentence={words.noneIn} />
  return (
    <>
      <ul class="credentials">
        {visible.map((credential) => (
          <CredentialRow key={credential.link} credential={credential} onRevoke={openDialog} />
        ))}
      </ul>
      {toRevoke.value !== null && <RevokeDialog details={toRevoke.value} onClose={() => (toRevoke.value = null)} />}
    </>
  )
}

interface CredentialRowProps {
  readonly credential: Credential
  readonly onRevoke: (details: KeysShowAnswer) => void
}

function CredentialRow({ credential, onRevoke }: CredentialRowProps): JSX.Element {
  const { link, kind, state, stale, streams, lastUsed } = credential
  const name = credentialName(credential)
  // The dialog needs the current consequences: rules that depend on the credential may have changed.
  const openDialog = useAction(async () =>
    onRevoke(await admin.call('get', '/admin/v1/keys/{id}', { path: { id: link } })),
  )
  return (
    <li>
      <Icon name={kind === 'key' ? 'key' : 'agent'} />
      <span class="what">
        <span class="head">
          <span class="name">{name}</span>
          {state !== 'active' && <Chip tone={TONES[state]}>{words.states[state]}</Chip>}
          {stale && <Chip tone="warn" icon="clock" label={words.stale} />}
          {streams > 0 && <Chip tone="ok" icon="link" label={words.streams(streams)} />}
        </span>
        <span class="muted">
          {words.kindOf[kind]} · <LastUse used={lastUsed} />
        </span>
        {openDialog.message !== null && <span role="alert">{openDialog.message}</span>}
      </span>
      <Button class="quiet danger" label={words.revoke} aria-label={words.revokeNamed(name)} action={openDialog} />
    </li>
  )
}

function RevokeDialog({ details, onClose }: { details: KeysShowAnswer; onClose: () => void }): JSX.Element {
  const { key, ...affected } = details
  const name = credentialName(key)
  const revoke = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/keys/{id}', { path: { id: key.link } })
    await readIntegrations()
    showNotice(words.revoked(name))
  }
  return (
    <ConfirmDialog title={words.revokeTitle(name)} verb={words.revokeNamed(name)} onConfirm={revoke} onClose={onClose}>
      <Consequences credentials={[key]} affected={affected} />
      <p>{words.revokeIsFinal}</p>
    </ConfirmDialog>
  )
}

const KINDS = ['floor', 'room', 'unit', 'gang', 'scene'] as const

/** Summary of an exposure: `Sees 1 floor, 2 devices`. */
export function exposureSummary(expose: readonly string[]): string {
  if (expose.includes('all')) return words.seesAll
  const parts = KINDS.flatMap((kind) => {
    const count = expose.filter((pick) => pick.startsWith(`${kind}:`)).length
    return count === 0 ? [] : [words.parts[kind](count)]
  })
  return words.seesPicked(parts.join(', '))
}

/** Summary of the live credentials: `2 keys, 1 agent`. */
export function credentialSummary(credentials: readonly Credential[]): string {
  const parts = (['key', 'agent', 'session'] as const).flatMap((kind) => {
    const count = liveCredentials(credentials).filter((credential) => credential.kind === kind).length
    return count === 0 ? [] : [words.credentialKinds[kind](count)]
  })
  return parts.length === 0 ? words.noneIn : parts.join(', ')
}

/** Credentials that work now, or will work after a suspension. */
export const liveCredentials = (credentials: readonly Credential[]): readonly Credential[] =>
  credentials.filter(({ state }) => state !== 'ended' && state !== 'expired')

/** The latest use among the credentials. */
export const latestUse = (credentials: readonly Credential[]): CredentialLastUsed | null =>
  credentials
    .flatMap(({ lastUsed }) => (lastUsed === null ? [] : [lastUsed]))
    .reduce<CredentialLastUsed | null>((latest, use) => (latest === null || use.at > latest.at ? use : latest), null)

const credentialName = ({ name, platform }: Credential): string =>
  [name === '' ? words.unnamed : name, platform].filter((part) => part !== '').join(' · ')

interface ConsequencesProps {
  readonly credentials: readonly Credential[]
  readonly affected: {
    readonly switchedOff?: readonly string[]
    readonly scenesRefused?: readonly string[]
    readonly groupRules?: readonly string[]
  }
}

/** Consequences for others, with counts: credentials, open connections, rules and scenes. */
export function Consequences({ credentials, affected }: ConsequencesProps): JSX.Element {
  const { switchedOff = [], scenesRefused = [], groupRules = [] } = affected
  const live = liveCredentials(credentials)
  const streams = live.reduce((sum, credential) => sum + credential.streams, 0)
  const isHarmless = live.length + switchedOff.length + scenesRefused.length + groupRules.length === 0
  if (isHarmless) return <p>{words.endsNobody}</p>
  return (
    <ul class="ends">
      {live.length > 0 && <li>{words.endsCredentials(live.length)}</li>}
      {streams > 0 && <li>{words.endsStreams(streams)}</li>}
      {switchedOff.length > 0 && <li>{words.endsRules(switchedOff)}</li>}
      {groupRules.length > 0 && <li>{words.endsGroupRules(groupRules)}</li>}
      {scenesRefused.length > 0 && <li>{words.endsScenes(scenesRefused)}</li>}
    </ul>
  )
}

/** Time and way of a credential's last use. */
export function LastUse({ used }: { readonly used: CredentialLastUsed | null }): JSX.Element {
  return (
    <>
      <LastTime at={used?.at ?? null} label={words.lastUsed} never={words.neverUsed} /> {used && words.via[used.via]}
    </>
  )
}
