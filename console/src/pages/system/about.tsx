import type { JSX } from 'preact'
import type { Release } from '../../lib/admin-contract.ts'
import { Sentence, Loading } from '../../parts/action.tsx'
import { Card, Fact } from '../../parts/page.tsx'
import { useResource } from '../../stores/use-resource.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/system.ts'

/** Section of the release notes for residents. */
const FOR_OWNERS = 'In short'

/** Version of the program and the databases, and the release notes. */
export function About(): JSX.Element {
  const { value, error, reload } = useResource(() => admin.call('get', '/admin/v1/about'))
  if (value === null) return <Loading error={error} reload={reload} />
  return (
    <>
      <Card title={words.program(value.version)}>
        <dl class="facts">
          <Fact term={words.runsOn}>{words.nodeOn(value.node, value.platform)}</Fact>
          <Fact term={words.configuration}>{words.tables(value.configuration)}</Fact>
          <Fact term={words.history}>{words.tables(value.history)}</Fact>
        </dl>
        <p class="muted">{words.noUpdateCheck}</p>
      </Card>
      {value.changes && <ReleaseNotes {...value.changes} />}
    </>
  )
}

/** Release notes: the short section first, the developers' notes folded. */
function ReleaseNotes({ parts }: NonNullable<Release['changes']>): JSX.Element | null {
  const short = parts.find(({ title }) => title === FOR_OWNERS)
  const details = parts.filter((part) => part !== short)
  const count = details.reduce((sum, { entries }) => sum + entries.length, 0)
  if (short === undefined && count === 0) return null
  return (
    <Card title={words.whatIsNew}>
      {short && <Changes entries={short.entries} />}
      {count > 0 && (
        <details class="every-change">
          <summary>{words.allChanges(count)}</summary>
          {details.map(({ title, entries }) => (
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
        <Sentence>{entry}</Sentence>
      </li>
    ))}
  </ul>
)
