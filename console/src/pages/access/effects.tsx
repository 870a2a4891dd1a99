import type { JSX } from 'preact'
import type { IntegrationsPreviewAnswer, Shown } from '../../lib/admin-contract.ts'
import { knobWords, words } from '../../words/access.ts'

/** Of a long list as many names are told; the rest is counted. */
const NAMES_MAX = 40

/** What a change would do: what appears, what disappears, what it may then, and what ends for others. */
export function Effects({ preview }: { readonly preview: IntegrationsPreviewAnswer | null }): JSX.Element {
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
function knobMeans(knob: string, value: string): string | null {
  if (!(knob in knobWords.knobs)) return null
  const { name, means } = knobWords.knobs[knob as keyof typeof knobWords.knobs]
  return `${name}: ${(means as Readonly<Record<string, string>>)[value] ?? value}`
}
