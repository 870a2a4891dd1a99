import { signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import type { FloorView } from '../../stores/floor-views.ts'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { ShowMore, useShownPart } from '../../parts/shown-part.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { floors, openFloor, wantedRoom } from '../../stores/floors.ts'
import { house } from '../../stores/home.ts'
import { nobodyByName } from '../../stores/person.ts'
import { status } from '../../stores/pushed.ts'
import { words as frame } from '../../words/frame.ts'
import { words } from '../../words/home.ts'
import { Attention } from './attention.tsx'
import { Energy } from './energy.tsx'
import { Room } from './room.tsx'
import { Scenes } from './scenes.tsx'

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
      {nobodyByName.value && <RestoreHere />}
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

/** To a home that nobody administers by name yet, another may be brought from a backup. */
const RestoreHere = (): JSX.Element => (
  <a class="button quiet" href="/console/system/backup?restore=file">
    {words.restoreHere}
  </a>
)

/** Only the open floor is drawn: a large home has thousands of devices. */
function Floors(): JSX.Element {
  const open = floors.value.find(({ id }) => id === openFloor.value) ?? floors.value[0]
  if (open === undefined)
    return (
      <Empty icon="rooms" sentence={words.emptyHome}>
        <a class="button" href="/console/rooms">
          {words.emptyHomeAction}
        </a>
        <a class="button quiet" href="/console/system/backup?restore=file">
          {words.emptyHomeRestore}
        </a>
      </Empty>
    )
  if (floors.value.length === 1) return <Floor floor={open} />
  return (
    <Tabs
      label={words.floors}
      tabs={floors.value}
      chosen={open.id}
      onChoose={(id) => {
        openFloor.value = id
      }}
    >
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
  const part = useShownPart(floor.rooms.length, ROOMS_FIRST, wanted)
  const count = Math.max(Math.min(drawn.value, part.count), wanted + 1)
  const isWhole = count >= part.count
  useEffect(() => {
    isDrawn.value = isWhole
    if (isWhole) return
    const frame = requestAnimationFrame(() => {
      drawn.value = count + 1
    })
    return () => cancelAnimationFrame(frame)
  }, [count, isWhole])
  return (
    <>
      <Scenes floor={floor} />
      {floor.rooms.slice(0, count).map((room) => (
        <Room key={room.id} room={room} />
      ))}
      {isWhole && <ShowMore part={part} />}
    </>
  )
}
