import type { JSX } from 'preact'
import type { Status } from '../../lib/admin-contract.ts'
import { Fact } from '../../parts/card.tsx'
import { words } from '../../words/system.ts'

const NAMES: Readonly<Record<string, string>> = words.counters

/** What the line to the units went through since the start: for finding a bad cable. */
export function Counters({ counters }: { readonly counters: Status['linkCounters'] }): JSX.Element {
  return (
    <details class="card more">
      <summary>{words.lineCounters}</summary>
      <dl class="facts">
        {Object.entries(NAMES).map(([id, name]) => (
          <Fact key={id} term={name}>
            {(counters[id] ?? 0).toLocaleString()}
          </Fact>
        ))}
      </dl>
    </details>
  )
}
