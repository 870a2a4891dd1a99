import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Integration, IntegrationsPreviewAnswer, Shown } from '../../lib/admin-contract.ts'
import { Said, sentenceOf, useAction } from '../../parts/action.tsx'
import { Button } from '../../parts/page.tsx'
import { readIntegrations } from '../../stores/integrations.ts'
import { tell } from '../../stores/notices.ts'
import { admin } from '../../stores/session.ts'
import { knobWords, words } from '../../words/access.ts'
import { backFrom, changeOf, discard, type Draft } from './draft.ts'

/** While somebody clicks on, the gateway is not asked for each click. */
const PREVIEW_WAIT_MS = 150

/** What saving would do, as the gateway foretells it, while something is not saved yet. */
export function SaveBar({ stored, draft }: { stored: Integration; draft: Draft }): JSX.Element | null {
  const change = changeOf(draft)
  const isEmpty = change?.expose?.length === 0
  const told = usePreview(stored, isEmpty ? null : change)
  const saving = useAction(() => save(stored, draft))
  // What somebody else has saved meanwhile is settled first.
  if (change === null || draft.base.revision !== stored.revision) return null
  return (
    <section class="save-bar" aria-label={words.saving}>
      <div class="effects" role="status">
        {isEmpty ? <p>{words.nothingPicked}</p> : typeof told === 'string' ? <p>{told}</p> : <Effects preview={told} />}
      </div>
      <Said of={saving.said} />
      <div class="actions">
        <Button says={words.discard} onClick={() => discard(stored.id)} />
        <Button class="main" says={words.save} disabled={isEmpty} does={saving} />
      </div>
    </section>
  )
}

/** What the gateway foretells of a change: its preview, its sentence against it, or null while it is asked. */
function usePreview(
  stored: Integration,
  change: ReturnType<typeof changeOf>,
): IntegrationsPreviewAnswer | string | null {
  const foretold = useSignal<{ of: string; told: IntegrationsPreviewAnswer | string } | null>(null)
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

/** Of a long list as many names are told; the rest is counted. */
const NAMES_MAX = 40

/** What a change would do: what appears, what disappears, what it may then, and what ends for others. */
function Effects({ preview }: { readonly preview: IntegrationsPreviewAnswer | null }): JSX.Element {
  if (preview === null) return <p class="muted">{words.foretelling}</p>
  const { appears, disappears, changes, switchedOff = [], scenesRefused = [], knobsOff = [] } = preview
  const streams = preview.integration.credentials.reduce((sum, each) => sum + each.streams, 0)
  const isSeen = appears.length + disappears.length > 0
  return (
    <>
      <p class="sum">
        {isSeen ? words.sum(appears.length, disappears.length) : words.savingNothing}
        {isSeen && streams > 0 && ` ${words.felt(streams)}`}
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
      {isSeen && (
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

/** What a knob means then, in the page's own words. */
export function knobMeans(knob: string, value: string): string | null {
  if (!(knob in knobWords.knobs)) return null
  const { name, means } = knobWords.knobs[knob as keyof typeof knobWords.knobs]
  return `${name}: ${(means as Readonly<Record<string, string>>)[value] ?? value}`
}
