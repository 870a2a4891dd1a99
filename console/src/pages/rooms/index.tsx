import type { JSX } from 'preact'
import type { Home } from '../../../../client/src/browser.ts'
import { Card } from '../../parts/card.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { house } from '../../stores/home.ts'
import { words as frame } from '../../words/frame.ts'
import { words } from '../../words/rooms.ts'

type House = NonNullable<Home['house']>
type Room = House['rooms'][number]
type Unit = House['units'][number]

/** Floors and rooms with what is in them, and how they are changed. */
export function RoomsPage(): JSX.Element {
  const home = house.value
  if (home === null) return <p class="wait">{frame.loading}</p>
  const { floors, rooms, units } = home
  const isBare = floors.length === 0 && rooms.length === 0
  return (
    <Page title={frame.rooms}>
      {isBare && <Empty icon="rooms" sentence={words.empty} />}
      {floors.map((floor) => (
        <Card key={floor.id} title={floor.name}>
          <Rooms rooms={floor.rooms} />
        </Card>
      ))}
      {rooms.length > 0 && (
        <Card title={words.withoutFloor}>
          <Rooms rooms={rooms} />
        </Card>
      )}
      {units.length > 0 && (
        <Card title={words.withoutRoom}>
          <p>{namesOf(units)}</p>
        </Card>
      )}
      <HowToChange />
    </Page>
  )
}

function Rooms({ rooms }: { readonly rooms: readonly Room[] }): JSX.Element {
  return (
    <dl class="rooms">
      {rooms.map(({ id, name, units }) => (
        <div key={id}>
          <dt>{name}</dt>
          <dd>{units.length === 0 ? words.nothing : namesOf(units)}</dd>
        </div>
      ))}
    </dl>
  )
}

function HowToChange(): JSX.Element {
  return (
    <Card title={words.change}>
      <p>{words.changeBy}</p>
      <pre tabIndex={0}>{words.commands.join('\n')}</pre>
      <p>{words.move}</p>
      <pre tabIndex={0}>{words.moveCommand}</pre>
      <p class="muted">{words.changeEnd}</p>
    </Card>
  )
}

const namesOf = (units: readonly Unit[]): string => units.map(({ name }) => name).join(', ')
