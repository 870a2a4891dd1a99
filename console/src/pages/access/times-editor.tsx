import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { Integration } from '../../lib/admin-contract.ts'
import { Button, Chip } from '../../parts/page.tsx'
import { homeInput, homeMoment, homeTime } from '../../stores/home-time.ts'
import { timeWords as words } from '../../words/access.ts'

/** The time in which a record has access: until a moment, and in windows of the week. */
export type Times = Pick<Integration, 'until' | 'hours'>
type Window = Times['hours'][number]

/** The weekend, for guests. */
const NEW_WINDOW: Window = { from: 'fri 16:00', until: 'sun 20:00' }

interface TimesEditorProps extends Times {
  readonly onChange: (change: Partial<Times>) => void
}

/** Edits the end and the weekly hours of a record. */
export function TimesEditor({ until, hours, onChange }: TimesEditorProps): JSX.Element {
  const id = useId()
  const replace = (index: number, window: Window): void =>
    onChange({ hours: hours.map((other, at) => (at === index ? window : other)) })
  return (
    <div class="weekly">
      <div class="field">
        <label for={id}>{words.until}</label>
        <input
          id={id}
          type="datetime-local"
          value={until === null ? '' : homeInput(until)}
          onChange={({ currentTarget }) => onChange({ until: homeMoment(currentTarget.value) })}
        />
      </div>
      <p class="hint">{until === null ? words.noEnd : words.ends}</p>
      <ul class="rows" aria-label={words.hours}>
        {hours.map((window, index) => (
          <li key={index}>
            <WindowFields window={window} onChange={(changed) => replace(index, changed)} />
            <Button
              class="quiet round"
              icon="remove"
              aria-label={words.removeHours(windowWords(window))}
              onClick={() => onChange({ hours: hours.filter((_, at) => at !== index) })}
            />
          </li>
        ))}
      </ul>
      <p class="hint">{hours.length === 0 ? words.always : words.onlyThen}</p>
      <div class="actions">
        <Button icon="add" label={words.addHours} onClick={() => onChange({ hours: [...hours, NEW_WINDOW] })} />
      </div>
    </div>
  )
}

/** A chip for a record that is closed now by its time. */
export function Closed({ integration }: { readonly integration: Integration }): JSX.Element | null {
  const { state, opensAt } = integration
  if (state === 'served' || state === 'disabled') return null
  const opens = opensAt === null ? '' : `, ${words.opens(homeTime(opensAt))}`
  return (
    <Chip tone="warn" icon="clock">
      {words.state[state] + opens}
    </Chip>
  )
}

interface WindowFieldsProps {
  readonly window: Window
  readonly onChange: (window: Window) => void
}

function WindowFields({ window, onChange }: WindowFieldsProps): JSX.Element {
  return (
    <span class="grow window">
      <MomentFields label={words.from} moment={window.from} onChange={(from) => onChange({ ...window, from })} />
      <MomentFields label={words.to} moment={window.until} onChange={(until) => onChange({ ...window, until })} />
    </span>
  )
}

interface MomentFieldsProps {
  readonly label: string
  /** A moment of the week: `fri 16:00`. */
  readonly moment: string
  readonly onChange: (moment: string) => void
}

function MomentFields({ label, moment, onChange }: MomentFieldsProps): JSX.Element {
  const [day = 'mon', time = '00:00'] = moment.split(' ')
  return (
    <span class="moment">
      <span>{label}</span>
      <select
        aria-label={words.day(label)}
        value={day}
        onChange={({ currentTarget }) => onChange(`${currentTarget.value} ${time}`)}
      >
        {Object.entries(words.days).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <input
        type="time"
        aria-label={words.time(label)}
        value={time}
        required
        onChange={({ currentTarget }) => {
          if (currentTarget.value !== '') onChange(`${day} ${currentTarget.value}`)
        }}
      />
    </span>
  )
}

/** `Fri 16:00 – Sun 20:00`. */
export function windowWords({ from, until }: Window): string {
  const days: Readonly<Record<string, string>> = words.days
  const momentWords = (moment: string): string => `${days[moment.slice(0, 3)] ?? ''} ${moment.slice(4)}`
  return `${momentWords(from)} – ${momentWords(until)}`
}
