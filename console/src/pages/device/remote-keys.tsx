import type { JSX } from 'preact'
import type { ControlArgs, HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { control } from '../../stores/control.ts'
import { connected } from '../../stores/home.ts'
import { words } from '../../words/device.ts'

type Key = NonNullable<ControlArgs['key']>

/** As on a remote in the hand: row by row. */
const ROWS: readonly (readonly Key[])[] = [
  ['power', 'source', 'mute'],
  ['back', 'up', 'home'],
  ['left', 'ok', 'right'],
  ['menu', 'down', 'stop'],
  ['volume_down', 'play', 'volume_up'],
  ['channel_down', 'pause', 'channel_up'],
]

/** The keys of an infrared remote. What they did nobody answers: the unit confirms that it sent them. */
export function RemoteKeys({ device: { id, name } }: { readonly device: HomeDevice }): JSX.Element {
  return (
    <div class="remote" role="group" aria-label={name}>
      {ROWS.flat().map((key) => (
        <button
          key={key}
          type="button"
          disabled={!connected.value}
          onClick={() => void control(id, { op: 'key', args: { key } })}
        >
          {words.keys[key]}
        </button>
      ))}
    </div>
  )
}
