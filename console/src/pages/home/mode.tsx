import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { ErrorLine, useAction } from '../../parts/action.tsx'
import { Button, Icon } from '../../parts/page.tsx'
import type { ModeView } from '../../stores/admin-topics.ts'
import { now } from '../../stores/gateway-clock.ts'
import { connected } from '../../stores/home.ts'
import { homeMoment, homeTime, inHome, nextAt } from '../../stores/home-time.ts'
import { mode, setMode } from '../../stores/mode.ts'
import { words } from '../../words/home.ts'

const HOUR_MS = 3_600_000
const SUNDAY = 0

/** The mode of the home. Two presses change it: one opens the list, one chooses a mode with its end. */
export function Mode(): JSX.Element | null {
  const list = useRef<HTMLDetailsElement>(null)
  const other = useSignal<number | null>(null)
  const { run, busy, message } = useAction(async (id: string, until: number | null) => {
    await setMode(id, until)
    list.current?.removeAttribute('open')
  })
  const held = mode.value
  if (held === null) return null
  const choose = (id: string, until: number | null): void => void run(id, until)
  return (
    <details class="mode" ref={list}>
      <summary>
        <Icon name="home" />
        {words.mode}
        <span dir="auto">{held.name}</span>
        {held.until !== null && <small>{words.modeUntil(homeTime(held.until))}</small>}
      </summary>
      <ul>
        {held.modes.map(({ id, name }) => (
          <li key={id} aria-current={id === held.mode}>
            <Button class="name" label={name} disabled={busy || !connected.value} onClick={() => choose(id, null)} />
            {id !== lastingOf(held) && (
              <Ends name={name} other={other.value} isOff={busy} onChoose={(until) => choose(id, until)} />
            )}
          </li>
        ))}
      </ul>
      <label>
        {words.modeOtherEnd}
        <input type="datetime-local" onInput={({ currentTarget }) => (other.value = homeMoment(currentTarget.value))} />
      </label>
      <ErrorLine message={message} />
    </details>
  )
}

/** The mode that returns after a temporary one. */
const lastingOf = ({ mode: id, previous }: ModeView): string => previous ?? id

interface EndsProps {
  readonly name: string
  /** The chosen further end in epoch ms. */
  readonly other: number | null
  readonly isOff: boolean
  readonly onChoose: (until: number) => void
}

/** Buttons for the usual ends of a temporary mode. */
function Ends({ name, other, isOff, onChoose }: EndsProps): JSX.Element {
  const from = now.value
  const moment: Intl.DateTimeFormatOptions = { weekday: 'short', hour: '2-digit', minute: '2-digit' }
  const ends: readonly (readonly [until: number, label: string])[] = [
    [from + 2 * HOUR_MS, words.modeHours],
    ...[nextAt('07:00', from), nextAt('20:00', from, SUNDAY), ...(other === null ? [] : [other])].map(
      (at) => [at, words.modeUntil(at === other ? homeTime(at) : inHome(at, moment))] as const,
    ),
  ]
  return (
    <div class="ends">
      {ends.map(([until, label]) => (
        <Button
          key={label}
          class="quiet"
          label={label}
          aria-label={`${name} ${label}`}
          disabled={isOff || !connected.value}
          onClick={() => onChoose(until)}
        />
      ))}
    </div>
  )
}
