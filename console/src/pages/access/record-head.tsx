import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Integration, IntegrationsPreviewAnswer } from '../../lib/admin-contract.ts'
import { useAction } from '../../parts/action.ts'
import { Icon } from '../../parts/icon.tsx'
import { Switch } from '../../parts/switch.tsx'
import { Said } from '../../parts/said.tsx'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { NameDialog } from './name-dialog.tsx'
import { rename, setEnabled } from './record-changes.ts'
import { type Ending, RecordEnding } from './record-ending.tsx'

/** Renames, disables and deletes an integration. */
export function RecordHead({ stored }: { readonly stored: Integration }): JSX.Element {
  const { name, enabled } = stored
  const isNaming = useSignal(false)
  const ending = useSignal<Ending | null>(null)
  const enable = useAction(() => setEnabled(stored, true))
  // What ends by it is asked first; where nothing does that could not be taken back, it is done at once.
  const end = useAction(async (does: Ending['does']) => {
    const preview = await disabling(stored)
    if (does === 'delete' || endsRules(preview)) ending.value = { does, preview }
    else await setEnabled(stored, false)
  })
  const said = enable.said ?? end.said
  return (
    <div class="record-head">
      <span aria-hidden="true">{enabled ? words.enabled : words.disabled}</span>
      <Switch
        label={words.enabled}
        on={enabled}
        asked={enable.busy || end.busy}
        onChange={(on) => void (on ? enable.run() : end.run('disable'))}
      />
      <button type="button" class="quiet" onClick={() => (isNaming.value = true)}>
        <Icon of="edit" />
        {words.rename}
      </button>
      <button type="button" class="quiet danger" aria-disabled={end.busy} onClick={() => void end.run('delete')}>
        <Icon of="remove" />
        {words.deleteShort}
      </button>
      <Said of={said} />
      {isNaming.value && (
        <NameDialog
          title={words.renameTitle}
          name={name}
          verb={words.rename}
          onName={(given) => rename(stored, given)}
          onClose={() => (isNaming.value = false)}
        />
      )}
      {ending.value !== null && (
        <RecordEnding stored={stored} ending={ending.value} onClose={() => (ending.value = null)} />
      )}
    </div>
  )
}

const disabling = ({ id }: Integration): Promise<IntegrationsPreviewAnswer> =>
  admin.call('post', '/admin/v1/integrations/{id}/preview', { path: { id }, body: { enabled: false } })

const endsRules = ({ switchedOff = [], scenesRefused = [] }: IntegrationsPreviewAnswer): boolean =>
  switchedOff.length + scenesRefused.length > 0
