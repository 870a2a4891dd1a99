import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Integration, IntegrationsPreviewAnswer } from '../../lib/admin-contract.ts'
import { sentenceOf, useAction } from '../../parts/action.ts'
import { Said } from '../../parts/said.tsx'
import { readIntegrations } from '../../stores/integrations.ts'
import { tell } from '../../stores/notices.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { backFrom, changeOf, discard, type Draft } from './draft.ts'
import { Effects } from './effects.tsx'

/** While somebody clicks on, the gateway is not asked for each click. */
const PREVIEW_WAIT_MS = 150

interface SaveBarProps {
  readonly stored: Integration
  readonly draft: Draft
}

/** What saving would do, as the gateway foretells it, while something is not saved yet. */
export function SaveBar({ stored, draft }: SaveBarProps): JSX.Element | null {
  const change = changeOf(draft)
  const isEmpty = change?.expose?.length === 0
  const told = usePreview(stored, isEmpty ? null : change)
  const { run, busy, said } = useAction(() => save(stored, draft))
  // What somebody else has saved meanwhile is settled first.
  if (change === null || draft.base.revision !== stored.revision) return null
  return (
    <section class="save-bar" aria-label={words.saving}>
      <div class="effects" role="status">
        {isEmpty ? <p>{words.nothingPicked}</p> : typeof told === 'string' ? <p>{told}</p> : <Effects preview={told} />}
      </div>
      <Said of={said} />
      <div class="actions">
        <button type="button" onClick={() => discard(stored.id)}>
          {words.discard}
        </button>
        <button type="button" class="main" disabled={isEmpty} aria-disabled={busy} onClick={() => void run()}>
          {words.save}
        </button>
      </div>
    </section>
  )
}

/** What the gateway foretold of a change: its preview, or its sentence against it. */
interface Foretold {
  readonly of: string
  readonly told: IntegrationsPreviewAnswer | string
}

/** What the gateway foretells of a change: its preview, its sentence against it, or null while it is asked. */
function usePreview(
  stored: Integration,
  change: ReturnType<typeof changeOf>,
): IntegrationsPreviewAnswer | string | null {
  const foretold = useSignal<Foretold | null>(null)
  const asked = JSON.stringify([stored.id, stored.revision, change])
  useEffect(() => {
    if (change === null) return
    const over = new AbortController()
    const ask = async (): Promise<void> => {
      const path = { id: stored.id }
      try {
        const answer = await admin.call('post', '/admin/v1/integrations/{id}/preview', { path, body: change })
        if (!over.signal.aborted) foretold.value = { of: asked, told: answer }
      } catch (error) {
        if (!over.signal.aborted) foretold.value = { of: asked, told: sentenceOf(error) }
      }
    }
    const wait = setTimeout(() => void ask(), PREVIEW_WAIT_MS)
    return () => {
      clearTimeout(wait)
      over.abort()
    }
  }, [asked])
  // What was foretold of another draft is not said of this one.
  return foretold.value?.of === asked ? foretold.value.told : null
}

/**
 * Stores the draft, unless somebody has changed the integration since. For seven seconds it can be taken back, unless
 * rules went off by it: they would stay off.
 */
async function save(stored: Integration, draft: Draft): Promise<void> {
  const change = changeOf(draft)
  if (change === null) return
  const path = { id: stored.id }
  const send = (body: typeof change, ifRevision: string) =>
    admin.call('patch', '/admin/v1/integrations/{id}', { path, body: { ...body, ifRevision } })
  try {
    const { integration, switchedOff = [], knobsOff } = await send(change, draft.base.revision)
    discard(stored.id)
    const undo = async (): Promise<void> => {
      await send(backFrom(draft, change, knobsOff), integration.revision)
      await readIntegrations()
    }
    tell(words.saved(stored.name), switchedOff.length === 0 ? undo : null)
  } finally {
    await readIntegrations()
  }
}
