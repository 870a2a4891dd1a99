import type { JSX } from 'preact'
import type { Home } from '@hm-gateway/client/src/browser.ts'
import { devicePath } from '../../lib/page-paths.ts'
import { unitsOf } from '../../lib/house-units.ts'
import { Card, Empty, Page, useShowMore } from '../../parts/page.tsx'
import { house } from '../../stores/home.ts'
import { Groups } from './groups.tsx'
import { words as frame } from '../../words/page-frame.ts'
import { words } from '../../words/rooms.ts'

type House = NonNullable<Home['house']>
type Room = House['rooms'][number]

/** Floors and rooms with their devices, the named groups, and instructions to change them. */
export function RoomsPage(): JSX.Element {
  const home = house.value
  if (home === null) return <p class="wait">{frame.loading}</p>
  const { floors, rooms } = home
  const byRoom = Map.groupBy(thingsOf(home), ({ room }) => room)
  const withoutRoom = byRoom.get(null) ?? []
  const isBare = floors.length === 0 && rooms.length === 0
  return (
    <Page title={frame.rooms}>
      {isBare && <Empty icon="rooms" sentence={words.empty} />}
      <Floors floors={floors} byRoom={byRoom} />
      {rooms.length > 0 && (
        <Card title={words.withoutFloor}>
          <Rooms rooms={rooms} byRoom={byRoom} />
        </Card>
      )}
      {withoutRoom.length > 0 && (
        <Card title={words.withoutRoom}>
          <div class="rooms">
            <Names things={withoutRoom} />
          </div>
        </Card>
      )}
      <Groups />
      <HowToChange />
    </Page>
  )
}

/** Items per step of the lists. */
const [FLOORS_STEP, ROOMS_STEP, THINGS_STEP] = [4, 40, 100]

function Floors({ floors, byRoom }: Pick<House, 'floors'> & Pick<RoomsProps, 'byRoom'>): JSX.Element {
  const [visible, more] = useShowMore(floors, FLOORS_STEP)
  return (
    <>
      {visible.map((floor) => (
        <Card key={floor.id} title={floor.name}>
          <Rooms rooms={floor.rooms} byRoom={byRoom} />
        </Card>
      ))}
      {more}
    </>
  )
}

interface RoomsProps {
  readonly rooms: readonly Room[]
  readonly byRoom: ReadonlyMap<string | null, readonly Thing[]>
}

function Rooms({ rooms, byRoom }: RoomsProps): JSX.Element {
  const [visible, more] = useShowMore(rooms, ROOMS_STEP)
  return (
    <>
      <dl class="rooms">
        {visible.map(({ id, name }) => (
          <div key={id}>
            <dt dir="auto">{name}</dt>
            <dd>{byRoom.has(id) ? <Names things={byRoom.get(id) ?? []} /> : words.nothing}</dd>
          </div>
        ))}
      </dl>
      {more}
    </>
  )
}

function Names({ things }: { readonly things: readonly Thing[] }): JSX.Element {
  const [visible, more] = useShowMore(things, THINGS_STEP)
  return (
    <>
      <ul>
        {visible.map(({ id, name }) => (
          <li key={id}>
            <a href={devicePath(id)} dir="auto">
              {name}
            </a>
          </li>
        ))}
      </ul>
      {more}
    </>
  )
}

/** Commands, one per line; long lines break only between words. */
const Commands = ({ commands }: { readonly commands: readonly string[] }): JSX.Element => (
  <pre class="commands" tabIndex={0}>
    {commands.map((command, line) => [
      line > 0 && '\n',
      command.split(' ').map((word, place) => [place > 0 && ' ', <span key={place}>{word}</span>]),
    ])}
  </pre>
)

function HowToChange(): JSX.Element {
  return (
    <Card title={words.change}>
      <p>{words.changeBy}</p>
      <p class="muted">{words.changeEnd}</p>
      <details>
        <summary>{frame.commandLine}</summary>
        <Commands commands={words.commands} />
        <p>{words.move}</p>
        <Commands commands={[words.moveCommand]} />
      </details>
    </Card>
  )
}

interface Thing {
  readonly id: string
  readonly name: string
  readonly room: string | null
}

/** Units and modules in the room where they are mounted, gangs in the room where they switch. */
const thingsOf = (home: House): readonly Thing[] => unitsOf(home).flatMap((unit) => [unit, ...(unit.gangs ?? [])])
