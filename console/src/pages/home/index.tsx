import { signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { SceneEntry } from '@hm-gateway/client/src/browser.ts'
import { Tile } from '../../controls/device-control.tsx'
import { Sentence, useAction } from '../../parts/action.tsx'
import { isLight } from '../../parts/device-icon.ts'
import { Age, Button, Empty, Icon, LinkButton, Page, useShowMore } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { awaitedConfirmations, control, controlAll, pendingControls, refusalOf } from '../../stores/control.ts'
import { attentionPath } from '../../stores/attention-path.ts'
import type { FloorView, RoomView } from '../../stores/floor-views.ts'
import { floors, openFloor, roomToShow, sceneToShow } from '../../stores/floors.ts'
import { connected, deviceOf, house, scenes } from '../../stores/home.ts'
import { showNotice } from '../../stores/page-notices.ts'
import { hasNoAdministrator, isAdministrator, seesMode } from '../../stores/own-session.ts'
import { status, statusAt } from '../../stores/admin-topics.ts'
import { readingsOf } from '../../stores/readings.ts'
import { words as frame } from '../../words/page-frame.ts'
import { words } from '../../words/home.ts'
import { isOn } from '../../words/state.ts'
import { mode, modeError } from '../../stores/mode.ts'
import { people, peopleError } from '../../stores/people.ts'
import { Energy } from './energy.tsx'
import { GroupButton } from './group-button.tsx'
import { Mode } from './mode.tsx'
import { People } from './people.tsx'
import { roomClimate } from './room-climate.ts'

/** False while rooms of the open floor are still rendering; the energy card below would move. */
const isFloorRendered = signal(true)

/** The home, live: problems, scenes, rooms of the open floor, and energy. */
export function HomePage(): JSX.Element {
  // The first status has the list of problems above the rooms; only administrators see it.
  // Without a connection no mode and no people come, but the home of before is there.
  const isModeRead = mode.value !== null || modeError.value !== null || !seesMode.value
  const arePeopleRead = people.value !== null || peopleError.value !== null
  const isRead = (isModeRead && arePeopleRead) || !connected.value
  const isStatusRead = status.value !== null || !isAdministrator.value
  if (house.value === null || !isStatusRead || !isRead) return <p class="wait">{frame.loading}</p>
  return <Home />
}

function Home(): JSX.Element {
  const isLate = useMemo(() => (status.peek()?.attention.length ?? 0) === 0, [])
  const aside = (
    <>
      {isLate && <Attention isLate />}
      {/* Restoring another home is offered only before the first account. */}
      {hasNoAdministrator.value && <LinkButton to={RESTORE} label={words.restoreHere} look="quiet" />}
    </>
  )
  return (
    <Page title={frame.home} aside={aside}>
      {!isLate && <Attention isLate={false} />}
      <div class="facts">
        <Mode />
        <People />
      </div>
      <Floors />
      <div hidden={!isFloorRendered.value}>
        <Energy />
      </div>
    </Page>
  )
}

const RESTORE = '/console/system/backup?restore=file'

/** Only the open floor is rendered, because a large home has thousands of devices. */
function Floors(): JSX.Element {
  const open = floors.value.find(({ id }) => id === openFloor.value) ?? floors.value[0]
  if (open === undefined && !isAdministrator.value) return <Empty icon="rooms" sentence={words.nothingShared} />
  if (open === undefined)
    return (
      <Empty icon="rooms" sentence={words.emptyHome}>
        <LinkButton to="/console/rooms" label={words.emptyHomeAction} />
        <LinkButton to={RESTORE} label={words.emptyHomeRestore} look="quiet" />
      </Empty>
    )
  if (floors.value.length === 1) return <Floor floor={open} />
  return (
    <Tabs label={words.floors} tabs={floors.value} chosen={open.id} onChoose={(id) => (openFloor.value = id)}>
      <Floor key={open.id} floor={open} />
    </Tabs>
  )
}

/** Rooms per step of the list. */
const ROOMS_STEP = 40

/** Renders one more room per animation frame, so that the first rooms appear at once. */
function Floor({ floor }: { readonly floor: FloorView }): JSX.Element {
  const rendered = useSignal(1)
  const target = floor.rooms.findIndex(({ id }) => id === roomToShow.value)
  const [rooms, more] = useShowMore(floor.rooms, ROOMS_STEP, target)
  const count = Math.max(Math.min(rendered.value, rooms.length), target + 1)
  const isComplete = count >= rooms.length
  useEffect(() => {
    isFloorRendered.value = isComplete
    if (isComplete) return
    const frame = requestAnimationFrame(() => (rendered.value = count + 1))
    return () => cancelAnimationFrame(frame)
  }, [count, isComplete])
  return (
    <>
      <p>
        {floors.value.length > 1 && <LightsOff rooms={floor.rooms} place={floor.name} stays />}
        <LightsOff rooms={floors.value.flatMap(({ rooms }) => rooms)} place={house.value?.house ?? ''} stays />
      </p>
      <Scenes floor={floor} />
      {rooms.slice(0, count).map((room) => (
        <Room key={room.id} room={room} />
      ))}
      {isComplete && more}
    </>
  )
}

interface AttentionProps {
  /**
   * True: folded next to the title, for problems that appear after the page. False: above the rooms with a fixed
   * height. Neither moves the tiles.
   */
  readonly isLate: boolean
}

/** Problems that need attention. */
function Attention({ isLate }: AttentionProps): JSX.Element | null {
  const ref = useRef<HTMLDetailsElement>(null)
  const items = status.value?.attention ?? []
  const [visible, more] = useShowMore(items, PROBLEMS_STEP)
  const isOpen = useMemo(() => !isLate && items.length <= UNFOLDED_MAX, [])
  const keepHeight = (): void => {
    if (ref.current === null || isLate) return
    ref.current.style.height = ''
    ref.current.style.height = `${ref.current.offsetHeight}px`
  }
  useEffect(() => {
    keepHeight()
    addEventListener('resize', keepHeight)
    return () => removeEventListener('resize', keepHeight)
  }, [])
  if (!isAdministrator.value || (isLate && items.length === 0)) return null
  return (
    <details ref={ref} class={isLate ? 'attention late' : 'attention'} open={isOpen} onToggle={keepHeight}>
      <summary>
        <Icon name={items.length > 0 ? 'alert' : 'check'} />
        {items.length > 0 ? words.attention(items.length) : words.attentionOver}
        {!connected.value && statusAt.value !== null && (
          <small>
            {words.asOf} <Age at={statusAt.value} />
          </small>
        )}
      </summary>
      <ul>
        {visible.map((problem) => (
          <li key={problem.what}>
            <a href={attentionPath(problem, floors.value)}>
              <Sentence>{problem.what}</Sentence>
            </a>
          </li>
        ))}
        {more && <li>{more}</li>}
      </ul>
    </details>
  )
}

/** Longer lists start folded, to leave room for the tiles. */
const UNFOLDED_MAX = 3
/** Problems per step of the list. */
const PROBLEMS_STEP = 20

/** Scenes per step of the list. */
const SCENES_STEP = 24

/** Buttons for the groups and the scenes of the home, and for the scenes of one floor. */
function Scenes({ floor }: { readonly floor: FloorView }): JSX.Element | null {
  const rooms = new Set(floor.rooms.map(({ id }) => id))
  const here = scenes.value.filter(
    (scene) => scene.floor === floor.id || (scene.floor === null && (scene.room === null || rooms.has(scene.room))),
  )
  const [visible, more] = useShowMore(here, SCENES_STEP, targetIn(here))
  const groups = house.value?.groups ?? []
  if (here.length === 0 && groups.length === 0) return null
  const refusals = here.flatMap(({ id }) => refusalOf(id) ?? [])
  return (
    <section class="scenes" aria-label={words.scenes}>
      {/* Disabled buttons take no focus, so the list takes it to stay scrollable by keyboard. */}
      <ul tabIndex={connected.value ? undefined : 0}>
        {groups.map((group) => (
          <li key={group.id}>
            <GroupButton group={group} />
          </li>
        ))}
        {visible.map((scene) => (
          <li key={scene.id}>
            <SceneButton scene={scene} />
          </li>
        ))}
        {more && <li>{more}</li>}
      </ul>
      {here
        .filter(({ id }) => awaitedConfirmations.value.has(id))
        .map(({ id, name }) => (
          <p key={id} role="status">
            {words.mustConfirm(name)}
          </p>
        ))}
      {refusals.map((message) => (
        <p key={message} role="alert">
          {message}
        </p>
      ))}
    </section>
  )
}

const targetIn = (list: readonly SceneEntry[]): number => list.findIndex(({ id }) => id === sceneToShow.value)

function SceneButton({ scene: { id, name, running } }: { readonly scene: SceneEntry }): JSX.Element {
  const ref = useRef<HTMLButtonElement>(null)
  const isBusy = running || pendingControls.value.has(id)
  const isTarget = sceneToShow.value === id
  useEffect(() => {
    if (isTarget) ref.current?.focus()
  }, [isTarget])
  return (
    <button
      ref={ref}
      type="button"
      class={isBusy ? 'scene running' : 'scene'}
      disabled={!connected.value}
      aria-busy={isBusy}
      onClick={() => void control(id, { op: 'run' })}
    >
      <Icon name="scene" />
      <span class="name" dir="auto" title={name}>
        {name}
      </span>
      {running && <span class="unseen">{words.running}</span>}
    </button>
  )
}

/** A room with its climate, a Lights off button, and its tiles. */
function Room({ room }: { room: RoomView }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null)
  const isTarget = roomToShow.value === room.id
  useEffect(() => {
    if (!isTarget) return
    roomToShow.value = null
    heading.current?.scrollIntoView()
    heading.current?.focus()
  }, [isTarget])
  return (
    <section class="room" aria-labelledby={room.id}>
      <header>
        <h2 id={room.id} ref={heading} tabIndex={-1} dir="auto">
          {room.name}
        </h2>
        <Climate room={room} />
        <LightsOff rooms={[room]} place={room.name} stays={false} />
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
  const unitReadings = room.units.map(({ id, class: is }) => ({ is, reading: readingsOf(id).value }))
  // A gang measures its own power; its module may be in another room.
  const units = new Set(room.units.map(({ id }) => id))
  const gangs = room.devices.filter(({ id }) => !units.has(id)).map(({ id }) => readingsOf(id).value)
  const climate = roomClimate([...unitReadings, ...gangs.map((reading) => ({ is: 'gang', reading }))])
  return climate.length === 0 ? null : (
    <p class="climate" title={climate.join(' · ')}>
      {climate.join(' · ')}
    </p>
  )
}

interface LightsOffProps {
  readonly rooms: readonly RoomView[]
  /** Name of the room, floor or home. */
  readonly place: string
  /** True: always there, so that it moves nothing. False: only while a light is on. */
  readonly stays: boolean
}

/** Switches off the lights that are on. Undo switches the same lights on again. */
function LightsOff({ rooms, place, stays }: LightsOffProps): JSX.Element | null {
  const lit = rooms.flatMap(({ devices }) =>
    devices.flatMap(({ id }) => {
      const device = deviceOf(id).value
      return device && isLight(device) && isOn(device) ? [id] : []
    }),
  )
  const { run, busy } = useAction(async () => {
    const off = await switchAll(lit, false)
    if (off.length > 0) showNotice(words.lightsOffDone(off.length, place), () => switchAll(off, true))
  })
  if (lit.length === 0 && !stays) return null
  return (
    <Button
      class="quiet"
      label={stays ? words.lightsOffIn(place) : words.lightsOff}
      aria-label={words.lightsOffIn(place)}
      disabled={busy || !connected.value || lit.length === 0}
      onClick={() => void run()}
    />
  )
}

const switchAll = (devices: readonly string[], on: boolean): Promise<readonly string[]> =>
  controlAll(devices.map((device) => ({ device, op: 'set_power', args: { on } })))
