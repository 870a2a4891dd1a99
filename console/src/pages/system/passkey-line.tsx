import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Passkey } from '../../lib/admin-contract.ts'
import { Age } from '../../parts/age.tsx'
import { EndingDialog } from '../../parts/ending-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { tell } from '../../stores/notices.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'

/** One passkey: where it works, when it was used, and the way to remove it. */
export function PasskeyLine({ passkey: { id, name, site, usedAt } }: { readonly passkey: Passkey }): JSX.Element {
  const asking = useSignal(false)
  const remove = async (): Promise<void> => {
    await admin.call('delete', '/admin/v1/passkeys/{id}', { path: { id } })
    tell(words.removed(name))
  }
  return (
    <li>
      <Icon of="key" />
      <span class="grow">
        {name}
        <br />
        <small class="muted">
          {words.worksAt(site)}
          {' · '}
          {usedAt === null ? (
            words.neverUsed
          ) : (
            <>
              {words.lastUsed} <Age at={usedAt} />
            </>
          )}
        </small>
      </span>
      <button
        type="button"
        class="quiet danger"
        aria-label={words.removeTitle(name)}
        onClick={() => (asking.value = true)}
      >
        {words.remove}
      </button>
      {asking.value && (
        <EndingDialog
          title={words.removeTitle(name)}
          verb={words.removePasskey}
          onEnd={remove}
          onClose={() => (asking.value = false)}
        >
          <p>{words.removesPasskey}</p>
        </EndingDialog>
      )}
    </li>
  )
}
