import type { JSX } from 'preact'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import type { IntegrationsPreviewHouseAnswer as House, Unit } from '../../lib/admin-contract.ts'
import { roomsOf, unitsOf } from '../../lib/house-units.ts'
import { ErrorBox } from '../../parts/action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Windowed } from '../../parts/windowed.tsx'
import { useResource } from '../../stores/use-resource.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/access.ts'
import { words as common } from '../../words/page-frame.ts'
import { stateWords } from '../../words/state.ts'
import { changeOf, type Draft } from './draft.ts'

/** The home as the programs of an integration see it; with a draft, as they will see it after saving. */
export function PreviewDialog({ draft, onClose }: { draft: Draft; onClose: () => void }): JSX.Element {
  const change = changeOf(draft)
  const { value, error } = useResource(() =>
    admin.call('post', '/admin/v1/integrations/{id}/preview/house', {
      path: { id: draft.base.id },
      body: change ?? {},
    }),
  )
  return (
    <Dialog title={words.previewTitle(draft.base.name)} onClose={onClose}>
      <p class="muted">{change === null ? words.previewAbout : words.previewAboutDraft}</p>
      {error !== null && <ErrorBox error={error} />}
      {value !== null && <VisibleHome house={value} />}
    </Dialog>
  )
}

function VisibleHome({ house }: { readonly house: House }): JSX.Element {
  const { scenes } = house
  const places = placesOf(house)
  if (places.length + scenes.length === 0) return <p>{words.previewNothing}</p>
  return (
    <div class="seen">
      <Windowed items={places} rowPx={PLACE_PX}>
        {(place) => (place.heading === 'floor' ? <h3>{place.name}</h3> : <Devices {...place} />)}
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

/** Estimated height of a room with a few devices. */
const PLACE_PX = 150

type Place = DevicesProps | { readonly heading: 'floor'; readonly name: string }

/** Floors and rooms from top to bottom; gangs stand in their own room, not in their module's. */
function placesOf(house: House): readonly Place[] {
  const rooms = new Set(roomsOf(house).map(({ id }) => id))
  const byRoom = Map.groupBy(unitsOf(house).flatMap(devicesOf), ({ room }) => (rooms.has(room ?? '') ? room : null))
  const placeOf =
    (heading: DevicesProps['heading']) =>
    ({ id, name }: House['rooms'][number]): Place => ({ heading, name, devices: byRoom.get(id) ?? [] })
  const devices = byRoom.get(null)
  return [
    ...house.floors.flatMap(({ name, rooms: its }): Place[] => [{ heading: 'floor', name }, ...its.map(placeOf('h4'))]),
    ...house.rooms.map(placeOf('h3')),
    ...(devices ? [{ heading: 'h3' as const, name: words.inNoRoom, devices }] : []),
  ]
}

interface DevicesProps {
  /** `h4` for rooms on a floor. */
  readonly heading: 'h3' | 'h4'
  readonly name: string
  readonly devices: readonly VisibleDevice[]
}

function Devices({ heading: Heading, name, devices }: DevicesProps): JSX.Element {
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

type VisibleDevice = Pick<HomeDevice, 'id' | 'name' | 'class' | 'room' | 'state' | 'reachable'>

/** Modules are represented by their gangs. */
function devicesOf({ gangs, ...unit }: Unit): readonly VisibleDevice[] {
  if (gangs === undefined) return [{ ...unit, state: unit.state ?? null }]
  return gangs.map((gang) => ({ ...gang, reachable: unit.reachable }))
}
