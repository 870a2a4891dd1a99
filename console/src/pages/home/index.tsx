import type { JSX } from 'preact'
import type { Home } from '../../../../client/src/browser.ts'
import { house } from '../../stores/home.ts'
import { Tile } from '../../parts/tile.tsx'
import { words } from '../../words/frame.ts'

type House = NonNullable<Home['house']>
type Unit = House['units'][number]

/** The home by floors and rooms, live. */
export function HomePage(): JSX.Element {
  const home = house.value
  if (home === null) return <p class="wait">{words.loading}</p>
  return (
    <main>
      <h1>{words.home}</h1>
      {home.floors.map((floor) => (
        <section key={floor.id}>
          <h2>{floor.name}</h2>
          {floor.rooms.filter(isFurnished).map(({ id, name, units }) => (
            <RoomTiles key={id} name={name} units={units} />
          ))}
        </section>
      ))}
      {home.rooms.filter(isFurnished).map(({ id, name, units }) => (
        <RoomTiles key={id} name={name} units={units} />
      ))}
      {home.units.length > 0 && <RoomTiles name={words.withoutRoom} units={home.units} />}
    </main>
  )
}

function RoomTiles({ name, units }: { readonly name: string; readonly units: readonly Unit[] }): JSX.Element {
  return (
    <section>
      <h3>{name}</h3>
      <ul class="tiles">
        {units.flatMap(shownOf).map((id) => (
          <Tile key={id} id={id} />
        ))}
      </ul>
    </section>
  )
}

const isFurnished = ({ units }: { readonly units: readonly Unit[] }): boolean => units.length > 0

/** A module shows its gangs; it does nothing itself. */
const shownOf = ({ id, gangs }: Unit): readonly string[] => gangs?.map((gang) => gang.id) ?? [id]
