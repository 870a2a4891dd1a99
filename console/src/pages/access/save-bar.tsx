import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Integration, IntegrationsPreviewAnswer, Shown } from '../../lib/admin-contract.ts'
import { ErrorLine, errorMessage, useAction } from '../../parts/action.tsx'
import { Button } from '../../parts/page.tsx'
import { readIntegrations } from '../../stores/integrations.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { admin } from '../../stores/session.ts'
import { knobWords, words } from '../../words/access.ts'
import { changeOf, discard, type Draft, type DraftProps, inverseOf, isUseless } from './draft.ts'

/** Pause after a click before the preview is requested. */
const PREVIEW_WAIT_MS = 150

/** Preview of unsaved changes, with the buttons to save or discard them. */
export function SaveBar({ stored, draft }: DraftProps): JSX.Element | null {
  const change = changeOf(draft)
  const isEmpty = isUseless(draft)
  const preview = usePreview(stored, isEmpty ? null : change)
  const saving = useAction(() => save(stored, draft))
  // A conflict with another person's change comes first.
  if (change === null || draft.base.revision !== stored.revision) return null
  return (
    <section class="save-bar" aria-label={words.saving}>
      <div class="effects" role="status">
        {isEmpty ? (
          <p>{words.nothingPicked}</p>
        ) : typeof preview === 'string' ? (
          <p>{preview}</p>
        ) : (
          <Effects preview={preview} />
        )}
      </div>
      <ErrorLine message={saving.message} />
      <div class="actions">
        <Button label={words.discard} onClick={() => discard(stored.id)} />
        <Button class="main" label={words.save} disabled={isEmpty} action={saving} />
      </div>
    </section>
  )
}

/** The gateway's preview of a change, its error message, or null while it is loading. */
function usePreview(
  stored: Integration,
  change: ReturnType<typeof changeOf>,
): IntegrationsPreviewAnswer | string | null {
  const preview = useSignal<{ key: string; result: IntegrationsPreviewAnswer | string } | null>(null)
  const key = JSON.stringify([stored.id, stored.revision, change])
  useEffect(() => {
    if (change === null) return
    const abort = new AbortController()
    const request = async (): Promise<void> => {
      const path = { id: stored.id }
      try {
        const answer = await admin.call('post', '/admin/v1/integrations/{id}/preview', { path, body: change })
        if (!abort.signal.aborted) preview.value = { key, result: answer }
      } catch (error) {
        if (!abort.signal.aborted) preview.value = { key, result: errorMessage(error) }
      }
    }
    const timer = setTimeout(() => void request(), PREVIEW_WAIT_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [key])
  // The preview may belong to an earlier draft.
  return preview.value?.key === key ? preview.value.result : null
}

/** Saves the draft, unless another person changed the integration. Undo is possible if no rule was switched off. */
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
      await send(inverseOf(draft, change, knobsOff), integration.revision)
      await readIntegrations()
    }
    showNotice(words.saved(stored.name), switchedOff.length === 0 ? undo : null)
  } finally {
    await readIntegrations()
  }
}

/** Longest list of names; the rest is counted. */
const NAMES_MAX = 40

/** Effects of a change: things that appear or disappear, new permissions, and consequences for others. */
function Effects({ preview }: { readonly preview: IntegrationsPreviewAnswer | null }): JSX.Element {
  if (preview === null) return <p class="muted">{words.loadingPreview}</p>
  const { appears, disappears, changes, switchedOff = [], scenesRefused = [], knobsOff = [] } = preview
  const streams = preview.integration.credentials.reduce((sum, credential) => sum + credential.streams, 0)
  const hasVisibleChange = appears.length + disappears.length > 0
  return (
    <>
      <p class="sum">
        {hasVisibleChange ? words.sum(appears.length, disappears.length) : words.savingNothing}
        {hasVisibleChange && streams > 0 && ` ${words.streamsAffected(streams)}`}
      </p>
      <ul class="ends">
        {changes.map(({ what, to, means }) => (
          <li key={what}>{knobMeans(what, to) ?? means}</li>
        ))}
        {knobsOff.map((knob) => (
          <li key={knob}>{words.knobOff}</li>
        ))}
        {switchedOff.length > 0 && <li class="warn">{words.endsRules(switchedOff)}</li>}
        {scenesRefused.length > 0 && <li class="warn">{words.endsScenes(scenesRefused)}</li>}
      </ul>
      {hasVisibleChange && (
        <details>
          <summary>{words.which}</summary>
          <Names title={words.appears} things={appears} />
          <Names title={words.disappears} things={disappears} />
        </details>
      )}
    </>
  )
}

function Names({ title, things }: { readonly title: string; readonly things: readonly Shown[] }): JSX.Element | null {
  if (things.length === 0) return null
  const rest = things.length - NAMES_MAX
  return (
    <>
      <h3>{title}</h3>
      <ul class="names">
        {things.slice(0, NAMES_MAX).map(({ kind, id, name }) => (
          <li key={`${kind} ${id}`}>
            {name} <span class="muted">{words.kinds[kind]}</span>
          </li>
        ))}
        {rest > 0 && <li class="muted">{words.more(rest)}</li>}
      </ul>
    </>
  )
}

/** Meaning of a knob's value in words; null for unknown knobs. */
export function knobMeans(knob: string, value: string): string | null {
  if (!(knob in knobWords.knobs)) return null
  const { name, means } = knobWords.knobs[knob as keyof typeof knobWords.knobs]
  return `${name}: ${(means as Readonly<Record<string, string>>)[value] ?? value}`
}
