import type { JSX } from 'preact'
import { asked, control, deviceOf, refusals } from '../stores/home.ts'
import { isOn, stateWords } from '../state-words.ts'
import { words } from '../words/frame.ts'

/** One device: its name, its confirmed state in words and, where it can be switched, one control. */
export function Tile({ id }: { readonly id: string }): JSX.Element | null {
  const device = deviceOf(id).value
  if (device === null) return null
  const { name } = device
  const on = isOn(device.state)
  const isAsked = asked.value.has(id)
  const refusal = refusals.value.get(id)
  return (
    <li class={on ? 'tile lit' : 'tile'}>
      <span class="name">{name}</span>
      <span class="state">{isAsked ? words.asked : stateWords(device)}</span>
      {device.operations.some((each) => each === 'set_power') && (
        <button
          type="button"
          role="switch"
          aria-checked={on}
          aria-label={name}
          disabled={isAsked}
          onClick={() => void control(id, { op: 'set_power', args: { on: !on } })}
        />
      )}
      {refusal !== undefined && <span role="alert">{refusal}</span>}
    </li>
  )
}
