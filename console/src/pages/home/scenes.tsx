import type { JSX } from 'preact'
import type { SceneEntry } from '@hm-gateway/client/src/browser.ts'
import { useEffect, useRef } from 'preact/hooks'
import type { FloorView } from '../../stores/floor-views.ts'
import { Icon } from '../../parts/icon.tsx'
import { ShowMore, useShownPart } from '../../parts/shown-part.tsx'
import { asked, control, refusalOf } from '../../stores/control.ts'
import { wantedScene } from '../../stores/floors.ts'
import { connected, scenes } from '../../stores/home.ts'
import { words } from '../../words/home.ts'

/** A few rows of them; a home may have hundreds. */
const SHOWN_FIRST = 24

/** The scenes of the whole home and of one floor, each with one touch. */
export function Scenes({ floor }: { readonly floor: FloorView }): JSX.Element | null {
  const rooms = new Set(floor.rooms.map(({ id }) => id))
  const shown = scenes.value.filter(
    (scene) => scene.floor === floor.id || (scene.floor === null && (scene.room === null || rooms.has(scene.room))),
  )
  const part = useShownPart(shown.length, SHOWN_FIRST, wantedAt(shown))
  if (shown.length === 0) return null
  const refusals = shown.flatMap(({ id }) => refusalOf(id) ?? [])
  return (
    <section class="scenes" aria-label={words.scenes}>
      {/* Without a connection none of them takes the focus; a row that does is scrolled by keys all the same. */}
      <ul tabIndex={connected.value ? undefined : 0}>
        {shown.slice(0, part.count).map((scene) => (
          <li key={scene.id}>
            <SceneButton scene={scene} />
          </li>
        ))}
        {part.left > 0 && (
          <li>
            <ShowMore part={part} />
          </li>
        )}
      </ul>
      {refusals.map((said) => (
        <p key={said} role="alert">
          {said}
        </p>
      ))}
    </section>
  )
}

const wantedAt = (shown: readonly SceneEntry[]): number => shown.findIndex(({ id }) => id === wantedScene.value)

function SceneButton({ scene: { id, name, running } }: { readonly scene: SceneEntry }): JSX.Element {
  const own = useRef<HTMLButtonElement>(null)
  const isBusy = running || asked.value.has(id)
  const isWanted = wantedScene.value === id
  useEffect(() => {
    if (isWanted) own.current?.focus()
  }, [isWanted])
  return (
    <button
      ref={own}
      type="button"
      class={isBusy ? 'scene running' : 'scene'}
      disabled={!connected.value}
      aria-busy={isBusy}
      onClick={() => void control(id, { op: 'run' })}
    >
      <Icon of="scene" />
      <span class="name" dir="auto" title={name}>
        {name}
      </span>
      {running && <span class="unseen">{words.running}</span>}
    </button>
  )
}
