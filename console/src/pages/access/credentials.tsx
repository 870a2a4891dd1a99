import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Credential, KeysShowAnswer } from '../../lib/admin-contract.ts'
import { useAction } from '../../parts/action.tsx'
import { EndingDialog } from '../../parts/dialog.tsx'
import { Chip, Empty, Icon } from '../../parts/page.tsx'
import { readIntegrations } from '../../stores/integrations.ts'
import { tell } from '../../stores/notices.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { credentialName, Ends, LastUse } from './summaries.tsx'

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
  const { run, busy, said } = useAction(async () =>
    onRevoke(await admin.call('get', '/admin/v1/keys/{id}', { path: { id: link } })),
  )
  return (
    <li>
      <Icon of={kind === 'key' ? 'key' : 'agent'} />
      <span class="what">
        <span class="head">
          <span class="name">{name}</span>
          {state !== 'active' && <Chip tone={TONES[state]}>{words.states[state]}</Chip>}
          {stale && (
            <Chip tone="warn" icon="clock">
              {words.stale}
            </Chip>
          )}
          {streams > 0 && (
            <Chip tone="ok" icon="link">
              {words.streams(streams)}
            </Chip>
          )}
        </span>
        <span class="muted">
          {words.kindOf[kind]} · <LastUse used={lastUsed} />
        </span>
        {said !== null && <span role="alert">{said}</span>}
      </span>
      <button
        type="button"
        class="quiet danger"
        aria-label={words.revokeNamed(name)}
        aria-disabled={busy}
        onClick={() => void run()}
      >
        {words.revoke}
      </button>
    </li>
  )
}

interface RevokingProps {
  readonly found: KeysShowAnswer
  readonly onClose: () => void
}

function Revoking({ found: { key, ...leave }, onClose }: RevokingProps): JSX.Element {
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
