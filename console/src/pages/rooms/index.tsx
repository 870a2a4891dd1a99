import type { JSX } from 'preact'
import type { Home } from '@hm-gateway/client/src/browser.ts'
import { devicePath } from '../../lib/addresses.ts'
import { unitsOf } from '../../lib/house-units.ts'
import { Card, Empty, Page, useFirst } from '../../parts/page.tsx'
import { house } from '../../stores/home.ts'
import { words as frame } from '../../words/frame.ts'
import { words } from '../../words/rooms.ts'

type House = NonNullable<Home['house']>
type Room = House['rooms'][number]

/** Floors and rooms with what is in them, and how they are changed. */
export function RoomsPage(): JSX.Element {
  const home = house.value
  if (home === null) return <p class="wait">{frame.loading}</p>
  const { floors, rooms } = home
  const placed = Map.groupBy(thingsOf(home), ({ room }) => room)
  const nowhere = placed.get(null) ?? []
  const isBare = floors.length === 0 && rooms.length === 0
  return (
    <Page title={frame.rooms}>
      {isBare && <Empty icon="rooms" sentence={words.empty} />}
      <Floors floors={floors} placed={placed} />
      {rooms.length > 0 && (
        <Card title={words.withoutFloor}>
          <Rooms rooms={rooms} placed={placed} />
        </Card>
      )}
      {nowhere.length > 0 && (
        <Card title={words.withoutRoom}>
          <div class="rooms">
            <Names things={nowhere} />
          </div>
        </Card>
      )}
      <HowToChange />
    </Page>
  )
}

/** What of a large home is shown before somebody asks for more. */
const [FLOORS_FIRST, ROOMS_FIRST, THINGS_FIRST] = [4, 40, 100]

function Floors({ floors, placed }: Pick<House, 'floors'> & Pick<RoomsProps, 'placed'>): JSX.Element {
  const [shown, more] = useFirst(floors, FLOORS_FIRST)
  return (
    <>
      {shown.map((floor) => (
        <Card key={floor.id} title={floor.name}>
          <Rooms rooms={floor.rooms} placed={placed} />
        </Card>
      ))}
      {more}
    </>
  )
}

interface RoomsProps {
  readonly rooms: readonly Room[]
  readonly placed: ReadonlyMap<string | null, readonly Thing[]>
}

function Rooms({ rooms, placed }: RoomsProps): JSX.Element {
  const [shown, more] = useFirst(rooms, ROOMS_FIRST)
  return (
    <>
      <dl class="rooms">
        {shown.map(({ id, name }) => (
          <div key={id}>
            <dt dir="auto">{name}</dt>
            <dd>{placed.has(id) ? <Names things={placed.get(id) ?? []} /> : words.nothing}</dd>
          </div>
        ))}
      </dl>
      {more}
    </>
  )
}

function Names({ things }: { readonly things: readonly Thing[] }): JSX.Element {
  const [shown, more] = useFirst(things, THINGS_FIRST)
  return (
    <>
      <ul>
        {shown.map(({ id, name }) => (
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

/** What to type, a command a line; where a line is too long it breaks between words alone. */
const Commands = ({ of: commands }: { readonly of: readonly string[] }): JSX.Element => (
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
      <Commands of={words.commands} />
      <p>{words.move}</p>
      <Commands of={[words.moveCommand]} />
      <p class="muted">{words.changeEnd}</p>
    </Card>
  )
}

interface Thing {
  readonly id: string
  readonly name: string
  readonly room: string | null
}

/** Every unit and module where it hangs, and each gang where it switches something. */
const thingsOf = (home: House): readonly Thing[] => unitsOf(home).flatMap((unit) => [unit, ...(unit.gangs ?? [])])
