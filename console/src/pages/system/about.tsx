import type { JSX } from 'preact'
import type { Release } from '../../lib/admin-contract.ts'
import { Told, Unread } from '../../parts/action.tsx'
import { Card, Fact } from '../../parts/page.tsx'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'

/** The part of a release's changes that is written for those who live with it. */
const FOR_OWNERS = 'In short'

/** Which program runs, what it made of the databases, and what is new in it. */
export function About(): JSX.Element {
  const { value, error, again } = useReading(() => admin.call('get', '/admin/v1/about'))
  if (value === null) return <Unread error={error} again={again} />
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
      {value.changes && <News {...value.changes} />}
    </>
  )
}

/** In short for whoever lives with it; each single change, as its developers wrote it, is folded. */
function News({ parts }: NonNullable<Release['changes']>): JSX.Element | null {
  const short = parts.find(({ title }) => title === FOR_OWNERS)
  const others = parts.filter((part) => part !== short)
  const count = others.reduce((sum, { entries }) => sum + entries.length, 0)
  if (short === undefined && count === 0) return null
  return (
    <Card title={words.whatIsNew}>
      {short && <Changes entries={short.entries} />}
      {count > 0 && (
        <details class="every-change">
          <summary>{words.allChanges(count)}</summary>
          {others.map(({ title, entries }) => (
            <section key={title}>
              <h3>{title}</h3>
              <Changes entries={entries} />
            </section>
          ))}
        </details>
      )}
    </Card>
  )
}

const Changes = ({ entries }: { readonly entries: readonly string[] }): JSX.Element => (
  <ul class="changes">
    {entries.map((entry) => (
      <li key={entry}>
        <Told>{entry}</Told>
      </li>
    ))}
  </ul>
)
