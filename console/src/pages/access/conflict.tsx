import type { JSX } from 'preact'
import type { Integration, Settings } from '../../lib/admin-contract.ts'
import { Icon } from '../../parts/icon.tsx'
import { knobWords, words } from '../../words/access.ts'
import { discard, type Draft, pickChanges, rebase, untouched } from './draft.ts'
import type { Pickable } from './pickable.ts'

interface ConflictProps {
  /** As somebody else has saved it. */
  readonly stored: Integration
  readonly draft: Draft
  readonly home: Pickable | null
}

/** Tells what somebody else has saved since a draft began, and lets the person choose what becomes of the draft. */
export function Conflict({ stored, draft, home }: ConflictProps): JSX.Element {
  return (
    <section class="conflict" role="alert">
      <h2>
        <Icon of="alert" />
        {words.conflictTitle}
      </h2>
      <p>{words.conflictAbout}</p>
      <ul class="ends">
        {differences(draft.base, stored, home).map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" class="main" onClick={() => rebase(stored)}>
          {words.keepBoth}
        </button>
        <button type="button" onClick={() => discard(stored.id)}>
          {words.takeTheirs}
        </button>
      </div>
    </section>
  )
}

/** What differs between two revisions of an integration, each as a phrase. */
function differences(before: Integration, after: Integration, home: Pickable | null): readonly string[] {
  return [
    ...(before.name === after.name ? [] : [words.renamed(after.name)]),
    ...(before.enabled === after.enabled ? [] : [after.enabled ? words.enabled : words.disabled]),
    ...knobDifferences(before.settings, after.settings),
    ...exposureDifferences(before, after, (word) => home?.names.get(word) ?? word),
  ]
}

function knobDifferences(before: Settings, after: Settings): readonly string[] {
  return Object.entries(knobWords.knobs).flatMap(([knob, { name, means }]) => {
    const value = after[knob as keyof Settings]
    const said = (means as Readonly<Record<string, string>>)[value] ?? value
    return before[knob as keyof Settings] === value ? [] : [`${name}: ${said}`]
  })
}

function exposureDifferences(
  before: Integration,
  after: Integration,
  nameOf: (word: string) => string,
): readonly string[] {
  const [old, now] = [untouched(before), untouched(after)]
  if (now.isAll) return old.isAll ? [] : [words.allAbout]
  const { added, removed } = pickChanges(old.picks, now.picks)
  const told = (title: string, picks: readonly string[]): string[] =>
    picks.length === 0 ? [] : [`${title}: ${picks.map(nameOf).join(', ')}`]
  return [...told(words.picksAdded, added), ...told(words.picksRemoved, removed)]
}
