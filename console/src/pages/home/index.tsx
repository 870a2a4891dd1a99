import { signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { SceneEntry } from '@hm-gateway/client/src/browser.ts'
import { Tile } from '../../controls/device-control.tsx'
import { Told, useAction } from '../../parts/action.tsx'
import { isLight } from '../../parts/device-icon.ts'
import { Age, Button, Empty, Icon, LinkButton, Page, useFirst } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { asked, control, controlAll, refusalOf } from '../../stores/control.ts'
import { attentionPath, type FloorView, type RoomView } from '../../stores/floor-views.ts'
import { floors, openFloor, wantedRoom, wantedScene } from '../../stores/floors.ts'
import { connected, deviceOf, house, scenes } from '../../stores/home.ts'
import { tell } from '../../stores/notices.ts'
import { nobodyByName } from '../../stores/person.ts'
import { status, statusAt } from '../../stores/pushed.ts'
import { readingsOf } from '../../stores/readings.ts'
import { words as frame } from '../../words/frame.ts'
import { words } from '../../words/home.ts'
import { isOn } from '../../words/state.ts'
import { Energy } from './energy.tsx'
import { roomClimate } from './room-climate.ts'

/** False while rooms of the open floor are still drawn: what stands below them would be pushed away. */
const isDrawn = signal(true)

/** The home, live: what needs attention, the scenes, the rooms of the floor that is open, and the energy. */
export function HomePage(): JSX.Element {
  // The first status says what needs attention above the rooms.
  if (house.value === null || status.value === null) return <p class="wait">{frame.loading}</p>
  return <Home />
}

function Home(): JSX.Element {
  const isLate = useMemo(() => (status.peek()?.attention.length ?? 0) === 0, [])
  const beside = (
    <>
      {isLate && <Attention isLate />}
      {/* In the place of a home that nobody administers by name yet another may be put. */}
      {nobodyByName.value && <LinkButton to={RESTORE} says={words.restoreHere} look="quiet" />}
    </>
  )
  return (
    <Page title={frame.home} beside={beside}>
      {!isLate && <Attention isLate={false} />}
      <Floors />
      <div hidden={!isDrawn.value}>
        <Energy />
      </div>
    </Page>
  )
}

const RESTORE = '/console/system/backup?restore=file'

/** Only the open floor is drawn: a large home has thousands of devices. */
function Floors(): JSX.Element {
  const open = floors.value.find(({ id }) => id === openFloor.value) ?? floors.value[0]
  if (open === undefined)
    return (
      <Empty icon="rooms" sentence={words.emptyHome}>
        <LinkButton to="/console/rooms" says={words.emptyHomeAction} />
        <LinkButton to={RESTORE} says={words.emptyHomeRestore} look="quiet" />
      </Empty>
    )
  if (floors.value.length === 1) return <Floor floor={open} />
  return (
    <Tabs label={words.floors} tabs={floors.value} chosen={open.id} onChoose={(id) => (openFloor.value = id)}>
      <Floor key={open.id} floor={open} />
    </Tabs>
  )
}

/** So many rooms of a floor are drawn before somebody asks for more. */
const ROOMS_FIRST = 40

/** One room more in each frame: the first stand there early, however many there are. */
function Floor({ floor }: { readonly floor: FloorView }): JSX.Element {
  const drawn = useSignal(1)
  const wanted = floor.rooms.findIndex(({ id }) => id === wantedRoom.value)
  const [rooms, more] = useFirst(floor.rooms, ROOMS_FIRST, wanted)
  const count = Math.max(Math.min(drawn.value, rooms.length), wanted + 1)
  const isWhole = count >= rooms.length
  useEffect(() => {
    isDrawn.value = isWhole
    if (isWhole) return
    const frame = requestAnimationFrame(() => (drawn.value = count + 1))
    return () => cancelAnimationFrame(frame)
  }, [count, isWhole])
  return (
    <>
      <Scenes floor={floor} />
      {rooms.slice(0, count).map((room) => (
        <Room key={room.id} room={room} />
      ))}
      {isWhole && more}
    </>
  )
}

interface AttentionProps {
  /**
   * True: it stands folded in the line of the title, for what came after the page was drawn. False: it stands above the
   * rooms and keeps its height. Tiles move for neither.
   */
  readonly isLate: boolean
}

/** The things that somebody should look at. */
function Attention({ isLate }: AttentionProps): JSX.Element | null {
  const own = useRef<HTMLDetailsElement>(null)
  const items = status.value?.attention ?? []
  const [shown, more] = useFirst(items, SHOWN_FIRST)
  const isOpen = useMemo(() => !isLate && items.length <= SHOWN_AT_ONCE, [])
  const keepHeight = (): void => {
    if (own.current === null || isLate) return
    own.current.style.height = ''
    own.current.style.height = `${own.current.offsetHeight}px`
  }
  useEffect(() => {
    keepHeight()
    addEventListener('resize', keepHeight)
    return () => removeEventListener('resize', keepHeight)
  }, [])
  if (isLate && items.length === 0) return null
  return (
    <details ref={own} class={isLate ? 'attention late' : 'attention'} open={isOpen} onToggle={keepHeight}>
      <summary>
        <Icon of={items.length > 0 ? 'alert' : 'check'} />
        {items.length > 0 ? words.attention(items.length) : words.attentionOver}
        {!connected.value && statusAt.value !== null && (
          <small>
            {words.asOf} <Age at={statusAt.value} />
          </small>
        )}
      </summary>
      <ul>
        {shown.map((each) => (
          <li key={each.what}>
            <a href={attentionPath(each, floors.value)}>
              <Told>{each.what}</Told>
            </a>
          </li>
        ))}
        {more && <li>{more}</li>}
      </ul>
    </details>
  )
}

/** More stay folded, so that the home is not pushed away by them. */
const SHOWN_AT_ONCE = 3
/** Of many devices of another class than the house says each is told. */
const SHOWN_FIRST = 20

/** A few rows of them; a home may have hundreds. */
const SCENES_FIRST = 24

/** The scenes of the whole home and of one floor, each with one touch. */
function Scenes({ floor }: { readonly floor: FloorView }): JSX.Element | null {
  const rooms = new Set(floor.rooms.map(({ id }) => id))
  const here = scenes.value.filter(
    (scene) => scene.floor === floor.id || (scene.floor === null && (scene.room === null || rooms.has(scene.room))),
  )
  const [shown, more] = useFirst(here, SCENES_FIRST, wantedAt(here))
  if (here.length === 0) return null
  const refusals = here.flatMap(({ id }) => refusalOf(id) ?? [])
  return (
    <section class="scenes" aria-label={words.scenes}>
      {/* Without a connection none of them takes the focus; a row that does is scrolled by keys all the same. */}
      <ul tabIndex={connected.value ? undefined : 0}>
        {shown.map((scene) => (
          <li key={scene.id}>
            <SceneButton scene={scene} />
          </li>
        ))}
        {more && <li>{more}</li>}
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

/** A room: what is measured in it, its lights off at once, and its devices. */
function Room({ room }: { room: RoomView }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null)
  const isWanted = wantedRoom.value === room.id
  useEffect(() => {
    if (!isWanted) return
    wantedRoom.value = null
    heading.current?.scrollIntoView()
    heading.current?.focus()
  }, [isWanted])
  return (
    <section class="room" aria-labelledby={room.id}>
      <header>
        <h2 id={room.id} ref={heading} tabIndex={-1} dir="auto">
          {room.name}
        </h2>
        <Climate room={room} />
        <LightsOff room={room} />
      </header>
      <ul class="tiles">
        {room.devices.map(({ id }) => (
          <Tile key={id} id={id} />
        ))}
      </ul>
    </section>
  )
}

function Climate({ room }: { room: RoomView }): JSX.Element | null {
  const measured = room.units.map(({ id, class: is }) => ({ is, reading: readingsOf(id).value }))
  // Gangs measure their own power, also those of a module in another room.
  const units = new Set(room.units.map(({ id }) => id))
  const gangs = room.devices.filter(({ id }) => !units.has(id)).map(({ id }) => readingsOf(id).value)
  const said = roomClimate([...measured, ...gangs.map((reading) => ({ is: 'gang', reading }))])
  return said.length === 0 ? null : (
    <p class="climate" title={said.join(' · ')}>
      {said.join(' · ')}
    </p>
  )
}

/** Switches off the lights that are on, and on again those that it switched off. */
function LightsOff({ room }: { room: RoomView }): JSX.Element | null {
  const lit = room.devices.flatMap(({ id }) => {
    const device = deviceOf(id).value
    return device && isLight(device) && isOn(device) ? [id] : []
  })
  const { run, busy } = useAction(async () => {
    const off = await switchAll(lit, false)
    if (off.length > 0) tell(words.lightsOffDone(off.length, room.name), () => switchAll(off, true))
  })
  if (lit.length === 0) return null
  return (
    <Button
      class="quiet"
      says={words.lightsOff}
      aria-label={words.lightsOffIn(room.name)}
      disabled={busy || !connected.value}
      onClick={() => void run()}
    />
  )
}

const switchAll = (devices: readonly string[], on: boolean): Promise<readonly string[]> =>
  controlAll(devices.map((device) => ({ device, op: 'set_power', args: { on } })))
