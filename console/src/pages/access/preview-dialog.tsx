import type { JSX } from 'preact'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import type { IntegrationsPreviewHouseAnswer as House, Unit } from '../../lib/admin-contract.ts'
import { roomsOf, unitsOf } from '../../lib/house-units.ts'
import { Problem } from '../../parts/action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Windowed } from '../../parts/windowed.tsx'
import { useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { words as common } from '../../words/frame.ts'
import { stateWords } from '../../words/state.ts'
import { changeOf, type Draft } from './draft.ts'

/** The home as the programs of an integration see it, or will once the draft is saved. */
export function PreviewAs({ draft, onClose }: { readonly draft: Draft; readonly onClose: () => void }): JSX.Element {
  const change = changeOf(draft)
  const { value, error } = useReading(() =>
    admin.call('post', '/admin/v1/integrations/{id}/preview/house', {
      path: { id: draft.base.id },
      body: change ?? {},
    }),
  )
  return (
    <Dialog title={words.previewTitle(draft.base.name)} onClose={onClose}>
      <p class="muted">{change === null ? words.previewAbout : words.previewAboutDraft}</p>
      {error !== null && <Problem error={error} />}
      {value !== null && <Seen house={value} />}
    </Dialog>
  )
}

function Seen({ house }: { readonly house: House }): JSX.Element {
  const { scenes } = house
  const places = placesOf(house)
  if (places.length + scenes.length === 0) return <p>{words.previewNothing}</p>
  return (
    <div class="seen">
      <Windowed items={places} rowPx={PLACE_PX}>
        {(place) => (place.heading === 'floor' ? <h3>{place.name}</h3> : <SeenDevices {...place} />)}
      </Windowed>
      {scenes.length > 0 && (
        <section>
          <h3>{words.scenes}</h3>
          <p>{scenes.map(({ name }) => name).join(', ')}</p>
        </section>
      )}
    </div>
  )
}

/** A room with a few devices. */
const PLACE_PX = 150

type Place = SeenDevicesProps | { readonly heading: 'floor'; readonly name: string }

/** What is shown, from top to bottom: each gang in its own room, wherever its module hangs. */
function placesOf(house: House): readonly Place[] {
  const rooms = new Set(roomsOf(house).map(({ id }) => id))
  const placed = Map.groupBy(unitsOf(house).flatMap(devicesOf), ({ room }) => (rooms.has(room ?? '') ? room : null))
  const placeOf =
    (heading: SeenDevicesProps['heading']) =>
    ({ id, name }: House['rooms'][number]): Place => ({ heading, name, devices: placed.get(id) ?? [] })
  const devices = placed.get(null)
  return [
    ...house.floors.flatMap(({ name, rooms: its }): Place[] => [{ heading: 'floor', name }, ...its.map(placeOf('h4'))]),
    ...house.rooms.map(placeOf('h3')),
    ...(devices ? [{ heading: 'h3' as const, name: words.inNoRoom, devices }] : []),
  ]
}

interface SeenDevicesProps {
  /** Rooms on a floor stand beneath its heading. */
  readonly heading: 'h3' | 'h4'
  readonly name: string
  readonly devices: readonly SeenDevice[]
}

function SeenDevices({ heading: Heading, name, devices }: SeenDevicesProps): JSX.Element {
  return (
    <>
      <Heading class="place fine">{name}</Heading>
      {devices.length === 0 && <p class="muted">{words.empty}</p>}
      <dl>
        {devices.map((device) => (
          <div key={device.id}>
            <dt>{device.name}</dt>
            <dd>{device.reachable ? (stateWords(device) ?? common.noState) : common.unreachable}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

type SeenDevice = Pick<HomeDevice, 'id' | 'name' | 'class' | 'room' | 'state' | 'reachable'>

/** A module is shown by its gangs. */
function devicesOf({ gangs, ...unit }: Unit): readonly SeenDevice[] {
  if (gangs === undefined) return [{ ...unit, state: unit.state ?? null }]
  return gangs.map((gang) => ({ ...gang, reachable: unit.reachable }))
}
