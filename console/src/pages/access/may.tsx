import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { Integration, Settings } from '../../lib/admin-contract.ts'
import { Segments, Switch } from '../../parts/form.tsx'
import { knobWords } from '../../words/access.ts'
import { type Draft, edit } from './draft.ts'

/** The knobs that are on or off, in the order in which they matter. */
const SWITCHED = [
  'allow_unlock',
  'agent_access',
  'cloud_access',
  'automations',
  'schedules',
  'structural',
  'mdns',
] as const
type Switched = (typeof SWITCHED)[number]

const ADVANCED = (['off', 'read', 'read_write'] as const).map((value) => ({
  value,
  name: knobWords.knobs.advanced_config.values[value],
}))

/** What an integration may do: each knob as a sentence about what holds now. */
export function May({ stored, draft }: { readonly stored: Integration; readonly draft: Draft }): JSX.Element {
  const { settings } = draft
  const set = (change: Partial<Settings>): void => edit(stored, { settings: { ...settings, ...change } })
  const { name, means } = knobWords.knobs.advanced_config
  return (
    <ul class="knobs">
      {SWITCHED.map((knob) => (
        <SwitchedKnob
          key={knob}
          knob={knob}
          value={settings[knob]}
          isOffered={knob !== 'structural' || offersStructure(draft)}
          onChange={(value) => set({ [knob]: value })}
        />
      ))}
      <li class="wide">
        <span class="name">{name}</span>
        <Segments
          legend={name}
          options={ADVANCED}
          value={settings.advanced_config}
          onChange={(value) => set({ advanced_config: value })}
        />
        <span class="means">{means[settings.advanced_config]}</span>
      </li>
    </ul>
  )
}

interface SwitchedKnobProps {
  readonly knob: Switched
  readonly value: 'on' | 'off'
  readonly isOffered: boolean
  readonly onChange: (value: 'on' | 'off') => void
}

function SwitchedKnob({ knob, value, isOffered, onChange }: SwitchedKnobProps): JSX.Element {
  const id = useId()
  const { name, means } = knobWords.knobs[knob]
  return (
    <li>
      <span class="name">{name}</span>
      <Switch
        label={name}
        on={value === 'on'}
        disabled={!isOffered && value === 'off'}
        onChange={(on) => onChange(on ? 'on' : 'off')}
      />
      <span class="means" id={id}>
        {isOffered ? means[value] : knobWords.structuralNeeds}
      </span>
    </li>
  )
}

/** Spec 2.1: renaming is offered to what sees everything, a floor or a room. */
const offersStructure = ({ isAll, picks }: Draft): boolean =>
  isAll || [...picks].some((word) => word.startsWith('floor:') || word.startsWith('room:'))
