import type { JSX } from 'preact'
import type { SceneEntry } from '../../../../client/src/browser.ts'
import type { FloorView } from '../../floor-views.ts'
import { Icon } from '../../parts/icon.tsx'
import { asked, control, refusalOf } from '../../stores/control.ts'
import { connected, scenes } from '../../stores/home.ts'
import { words } from '../../words/home.ts'

/** The scenes of the whole home and of one floor, each with one touch. */
export function Scenes({ floor }: { readonly floor: FloorView }): JSX.Element | null {
  const rooms = new Set(floor.rooms.map(({ id }) => id))
  const shown = scenes.value.filter(
    (scene) => scene.floor === floor.id || (scene.floor === null && (scene.room === null || rooms.has(scene.room))),
  )
  if (shown.length === 0) return null
  const refusals = shown.flatMap(({ id }) => refusalOf(id) ?? [])
  return (
    <section class="scenes" aria-label={words.scenes}>
      <ul>
        {shown.map((scene) => (
          <li key={scene.id}>
            <SceneButton scene={scene} />
          </li>
        ))}
      </ul>
      {refusals.map((said) => (
        <p key={said} role="alert">
          {said}
        </p>
      ))}
    </section>
  )
}

function SceneButton({ scene: { id, name, running } }: { readonly scene: SceneEntry }): JSX.Element {
  const isBusy = running || asked.value.has(id)
  return (
    <button
      type="button"
      class={isBusy ? 'scene running' : 'scene'}
      disabled={!connected.value}
      aria-busy={isBusy}
      onClick={() => void control(id, { op: 'run' })}
    >
      <Icon of="scene" />
      {name}
      {running && <span class="unseen">{words.running}</span>}
    </button>
  )
}
