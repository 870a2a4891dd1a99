import type { JSX } from 'preact'
import { Card } from '../../parts/card.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'
import { Fact } from './fact.tsx'

/** Changes of one kind that stand open; a release may have hundreds. */
const SHOWN_FIRST = 8

/** Which program runs, what it made of the databases, and what is new in it. */
export function About(): JSX.Element {
  const { value, error, again } = useReading(() => admin.call('get', '/admin/v1/about'))
  if (value === null)
    return error === null ? <p class="wait">{words.reading}</p> : <Problem error={error} onAgain={again} />
  return (
    <>
      <Card title={words.program(value.version)}>
        <dl class="facts">
          <Fact term={words.runsOn}>{words.nodeOn(value.node, value.platform)}</Fact>
          <Fact term={words.configuration}>{words.tables(value.configuration)}</Fact>
          <Fact term={words.history}>{words.tables(value.history)}</Fact>
        </dl>
        <p class="muted">{words.asksNobody}</p>
      </Card>
      {value.changes?.parts.map(({ title, entries }) => (
        <Card key={title} title={`${title} · ${value.changes?.heading ?? ''}`}>
          <Changes entries={entries.slice(0, SHOWN_FIRST)} />
          {entries.length > SHOWN_FIRST && (
            <details>
              <summary>{words.allChanges(entries.length)}</summary>
              <Changes entries={entries.slice(SHOWN_FIRST)} />
            </details>
          )}
        </Card>
      ))}
    </>
  )
}

const Changes = ({ entries }: { readonly entries: readonly string[] }): JSX.Element => (
  <ul class="changes">
    {entries.map((entry) => (
      <li key={entry}>{withCode(entry)}</li>
    ))}
  </ul>
)

/** What stands between backticks is code. */
const withCode = (entry: string): (string | JSX.Element)[] =>
  entry.split('`').map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))
