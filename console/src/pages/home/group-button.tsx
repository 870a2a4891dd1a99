import type { JSX } from 'preact'
import type { Group } from '@hm-gateway/client/src/browser.ts'
import { isLight } from '../../parts/device-icon.ts'
import { useAction } from '../../parts/action.tsx'
import { Icon } from '../../parts/page.tsx'
import { controlAll } from '../../stores/control.ts'
import { connected, deviceOf } from '../../stores/home.ts'
import { words } from '../../words/groups.ts'
import { isOn } from '../../words/state.ts'

/** Switches the members of a group together: off while one is on. Groups without a switch have no button. */
export function GroupButton({ group: { name, members } }: { readonly group: Group }): JSX.Element | null {
  const devices = members.flatMap((id) => deviceOf(id).value ?? [])
  const switched = devices.filter(({ operations }) => operations.includes('set_power'))
  const on = switched.filter(isOn)
  const { run, busy } = useAction(() => {
    const changed = on.length > 0 ? on : switched
    return controlAll(changed.map(({ id }) => ({ device: id, op: 'set_power', args: { on: on.length === 0 } })))
  })
  if (switched.length === 0) return null
  const label = on.length > 0 ? words.off(name) : words.on(name)
  return (
    <button
      type="button"
      class={on.length > 0 ? 'scene group on' : 'scene group'}
      disabled={!connected.value}
      aria-busy={busy}
      aria-label={`${label}: ${words.ones(on.length, switched.length)}`}
      onClick={() => void run()}
    >
      <Icon name={switched.every(isLight) ? 'light' : 'power'} />
      <span class="name" dir="auto" title={name}>
        {name}
      </span>
      <span class="muted">
        {on.length}/{switched.length}
      </span>
    </button>
  )
}
