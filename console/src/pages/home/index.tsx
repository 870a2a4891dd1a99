import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { FloorView } from '../../floor-views.ts'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { ShowMore, useShownPart } from '../../parts/shown-part.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { floors, openFloor, wantedRoom } from '../../stores/floors.ts'
import { house } from '../../stores/home.ts'
import { nobodyByName } from '../../stores/person.ts'
import { words as frame } from '../../words/frame.ts'
import { words } from '../../words/home.ts'
import { Attention } from './attention.tsx'
import { Energy } from './energy.tsx'
import { Room } from './room.tsx'
import { Scenes } from './scenes.tsx'

/** The home, live: what needs attention, the scenes, the rooms of the floor that is open, and the energy. */
export function HomePage(): JSX.Element {
  if (house.value === null) return <p class="wait">{frame.loading}</p>
  return (
    <Page title={frame.home} beside={nobodyByName.value && <RestoreHere />}>
      <Attention />
      <Floors />
      <Energy />
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
