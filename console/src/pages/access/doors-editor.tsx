import type { JSX } from 'preact'
import type { Integration, Settings } from '../../lib/admin-contract.ts'
import { Segments } from '../../parts/form.tsx'
import { doorWords } from '../../words/access.ts'

/** Permission to open locks and gates: never, after an administrator's confirmation each time, or alone. */
export type Doors = 'no' | 'ask' | 'yes'

/** The permission in the fields of a record. */
interface DoorFields {
  readonly opening: Integration['opening']
  readonly settings: Pick<Settings, 'allow_unlock'>
}

export const doorsOf = ({ settings, opening }: DoorFields): Doors => (settings.allow_unlock === 'off' ? 'no' : opening)

/** @param before without a permission to open, how the record opened remains stored */
export const doorFields = (doors: Doors, before: Pick<DoorFields, 'opening'>): DoorFields => ({
  opening: doors === 'no' ? before.opening : doors,
  settings: { allow_unlock: doors === 'no' ? 'off' : 'on' },
})

interface DoorsEditorProps {
  readonly doors: Doors
  /** True for a wall tablet, which opens after its PIN and asks nobody. */
  readonly byPin?: boolean
  readonly onChange: (doors: Doors) => void
}

/** Choice of the permission to open locks and gates. */
export function DoorsEditor({ doors, byPin = false, onChange }: DoorsEditorProps): JSX.Element {
  const value = byPin && doors === 'ask' ? 'yes' : doors
  return (
    <>
      <Segments legend={doorWords.title} names={byPin ? BY_PIN : doorWords.choices} value={value} onChange={onChange} />
      <p class="means hint">{byPin && value === 'yes' ? doorWords.byPinMeans : doorWords.means[value]}</p>
    </>
  )
}

const BY_PIN = { no: doorWords.choices.no, yes: doorWords.byPin } as Readonly<Record<Doors, string>>
