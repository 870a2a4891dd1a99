import type { JSX } from 'preact'
import type { ActivityEntry, Cause, ExplainItem, HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { Problem } from '../../parts/action.tsx'
import { Age, Card } from '../../parts/page.tsx'
import { homeTime, withHomeDays } from '../../stores/home-time.ts'
import { useHappened, useReading } from '../../stores/reading.ts'
import { owner } from '../../stores/session.ts'
import { words } from '../../words/device.ts'
import { words as frame } from '../../words/frame.ts'

const SHOWN_MAX = 20
/** The rest is folded. */
const SHOWN_AT_ONCE = 5
/** Beneath what a device is set to it would push that out of sight on a phone, and there it is folded. */
const WIDE = '(width >= 800px)'

/** Why the device is as it is, in one sentence; beneath it what else there is to know, and what happened to it. */
export function WhyCard({ device: { id } }: { readonly device: HomeDevice }): JSX.Element {
  const happened = useHappened(id)
  const read = async () => {
    const [{ items, note }, { entries }] = await Promise.all([
      owner.explain(id),
      owner.activity({ device: id, limit: SHOWN_MAX }),
    ])
    return { items, note, entries }
  }
  const { value, error, again } = useReading(read, id, happened)
  return (
    <Card title={words.why}>
      {error !== null && <Problem error={error} onAgain={again} />}
      {value === null ? error === null && <p class="wait">{frame.loading}</p> : <Reasons {...value} />}
    </Card>
  )
}

interface ReasonsProps {
  readonly items: readonly ExplainItem[]
  readonly note: string
  readonly entries: readonly ActivityEntry[]
}

function Reasons({ items: [answer, ...others], note, entries }: ReasonsProps): JSX.Element {
  return (
    <>
      <p class="answer">{withHomeDays(answer?.what ?? note)}</p>
      {others.length > 0 && (
        <details>
          <summary>
            {words.reasons} ({others.length})
          </summary>
          <ul class="reasons">
            {others.map(({ what, asOf }, place) => (
              <li key={place}>
                {withHomeDays(what)}{' '}
                {asOf !== undefined && (
                  <span class="hint">
                    {words.read} <Age at={asOf} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
      {entries.length > 0 && (
        <details open={window.matchMedia(WIDE).matches}>
          <summary>
            {words.activity} ({entries.length})
          </summary>
          <Entries entries={entries.slice(0, SHOWN_AT_ONCE)} />
          {entries.length > SHOWN_AT_ONCE && (
            <details>
              <summary>
                {words.earlier} ({entries.length - SHOWN_AT_ONCE})
              </summary>
              <Entries entries={entries.slice(SHOWN_AT_ONCE)} />
            </details>
          )}
        </details>
      )}
    </>
  )
}

const Entries = ({ entries }: Pick<ReasonsProps, 'entries'>): JSX.Element => (
  <ol class="happened">
    {entries.map((entry) => (
      <Happened key={entry.id} entry={entry} />
    ))}
  </ol>
)

function Happened({ entry: { at, what, cause, kind } }: { readonly entry: ActivityEntry }): JSX.Element {
  return (
    <li class={kind === 'failed' || kind === 'refused' ? 'bad' : ''}>
      <time dateTime={new Date(at).toISOString()}>{homeTime(at)}</time>
      <span>{what}</span>
      {/* That a sensor detected what it detected is plain. */}
      {kind !== 'detection' && <span class="hint">{causeWords(cause)}</span>}
    </li>
  )
}

/** Who did it, and what set that off: `Dinner ← Anna`. */
function causeWords(cause: Cause): string {
  return `← ${[cause.name, ...(cause.by ? [causeWords(cause.by)] : [])].join(' ')}`
}
