import type { JSX } from 'preact'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { heardAt } from '../../controls/state-line.tsx'
import { type FloorView, NO_FLOOR, type RoomView } from '../../stores/floor-views.ts'
import { Age } from '../../parts/age.tsx'
import { Chip } from '../../parts/chip.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Page } from '../../parts/page.tsx'
import { openFloor, roomOf, wantedRoom } from '../../stores/floors.ts'
import { deviceOf, house } from '../../stores/home.ts'
import { words as frame } from '../../words/frame.ts'
import { words } from '../../words/device.ts'
import { ControlCard } from './control-card.tsx'
import { IdentityCard } from './identity-card.tsx'
import { SettingsCard } from './settings-card.tsx'
import { UsersCard } from './users-card.tsx'
import { WhyCard } from './why-card.tsx'

/** One device: how it is and why, what it can be told, its settings, and who uses and sees it. */
export function DevicePage({ id }: { readonly id: string }): JSX.Element {
  if (house.value === null) return <p class="wait">{frame.loading}</p>
  const device = deviceOf(id).value
  if (device === null)
    return (
      <Page title={words.gone}>
        <Empty icon="rooms" sentence={words.goneAbout}>
          <a class="button" href="/console/">
            {frame.toHome}
          </a>
        </Empty>
      </Page>
    )
  return (
    <Page title={device.name} beside={<Heard device={device} />}>
      <Whereabouts device={device} />
      {!device.reachable && (
        <p class="silent-help">
          <strong>{words.silent}.</strong> {words.silentWhatToDo}
        </p>
      )}
      <div class="device" key={id}>
        <div>
          <ControlCard device={device} />
          <WhyCard device={device} />
        </div>
        <div>
          <SettingsCard device={device} />
          <UsersCard device={device} />
          <IdentityCard device={device} />
        </div>
      </div>
    </Page>
  )
}

/** How sure what is shown is: when the unit said so. */
function Heard({ device }: { readonly device: HomeDevice }): JSX.Element {
  const at = device.reachable ? (device.state?.asOf ?? heardAt(device)) : heardAt(device)
  if (!device.reachable)
    return (
      <Chip tone="danger" icon="unreachable">
        {at === null ? (
          words.silent
        ) : (
          <>
            {words.lastHeard} <Age at={at} />
          </>
        )}
      </Chip>
    )
  if (at === null) return <Chip>{words.noState}</Chip>
  return (
    <Chip tone="ok" icon="check">
      {words.confirmed} <Age at={at} />
    </Chip>
  )
}

function Whereabouts({ device }: { readonly device: HomeDevice }): JSX.Element {
  const place = roomOf.value.get(device.id)
  const classes: Readonly<Record<string, string>> = words.classes
  const model = 'model' in device ? device.model : null
  return (
    <p class="whereabouts">
      {place && <PlaceLink {...place} />}
      {place && isNamedBeside(place) && <PlaceLink floor={place.floor} />}
      {[classes[device.class] ?? device.class, model].map((part) => part && <span key={part}>{part}</span>)}
    </p>
  )
}

/** A floor that is none, or is called as its room, is not named. */
const isNamedBeside = ({ floor, room }: { readonly floor: FloorView; readonly room: RoomView }): boolean =>
  floor.id !== NO_FLOOR && floor.name !== room.name

/** The way to a room or floor on the page of the home. */
function PlaceLink({ floor, room }: { readonly floor: FloorView; readonly room?: RoomView }): JSX.Element {
  const show = (): void => {
    openFloor.value = floor.id
    wantedRoom.value = room?.id ?? null
  }
  return (
    <span>
      <a href="/console/" onClick={show} dir="auto">
        {room?.name ?? floor.name}
      </a>
    </span>
  )
}
