import type { JSX } from 'preact'
import type { Integration } from '../../lib/admin-contract.ts'
import { Segments } from '../../parts/segments.tsx'
import { words } from '../../words/access.ts'
import { type Draft, edit } from './draft.ts'
import type { Pickable } from './pickable.ts'
import { goneOf, toggled } from './picking.ts'
import { PickTree } from './pick-tree.tsx'

interface SeesProps {
  readonly stored: Integration
  readonly draft: Draft
  readonly home: Pickable
}

const WHICH = [
  { value: 'all', name: words.all },
  { value: 'picked', name: words.picked },
] as const

/** What an integration sees: everything, or what is picked in the tree of the home. */
export function Sees({ stored, draft, home }: SeesProps): JSX.Element {
  const { isAll, picks } = draft
  const gone = goneOf(picks, home)
  return (
    <>
      <Segments
        legend={words.sees}
        options={WHICH}
        value={isAll ? 'all' : 'picked'}
        onChange={(which) => edit(stored, { isAll: which === 'all' })}
      />
      <p class="hint">{isAll ? words.allAbout : words.pickedAbout}</p>
      {!isAll && (
        <PickTree
          label={words.tree}
          home={home}
          picks={picks}
          onToggle={(node) => edit(stored, { picks: toggled(node, picks, home) })}
        />
      )}
      {!isAll && gone.length > 0 && (
        <div class="gone">
          <p class="hint">{words.gone}</p>
          {gone.map((word) => (
            <button
              key={word}
              type="button"
              class="quiet"
              onClick={() => edit(stored, { picks: new Set([...picks].filter((pick) => pick !== word)) })}
            >
              {words.forget} {word}
            </button>
          ))}
        </div>
      )}
    </>
  )
}
