import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { isLight } from '../../parts/device-icon.ts'
import { Tile } from '../../controls/tile.tsx'
import type { RoomView } from '../../stores/floor-views.ts'
import { useAction } from '../../parts/action.tsx'
import { isOn } from '../../words/state.ts'
import { controlAll } from '../../stores/control.ts'
import { wantedRoom } from '../../stores/floors.ts'
import { connected, deviceOf } from '../../stores/home.ts'
import { tell } from '../../stores/notices.ts'
import { readingsOf } from '../../stores/readings.ts'
import { words } from '../../words/home.ts'
import { roomClimate } from './room-climate.ts'

interface RoomProps {
  readonly room: RoomView
}

/** A room: what is measured in it, its lights off at once, and its devices. */
export function Room({ room }: RoomProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null)
  const isWanted = wantedRoom.value === room.id
  useEffect(() => {
    if (!isWanted) return
    wantedRoom.value = null
    heading.current?.scrollIntoView()
    heading.current?.focus()
  }, [isWanted])
  return (
    <section class="room" aria-labelledby={room.id}>
      <header>
        <h2 id={room.id} ref={heading} tabIndex={-1} dir="auto">
          {room.name}
        </h2>
        <Climate room={room} />
        <LightsOff room={room} />
      </header>
      <ul class="tiles">
        {room.devices.map(({ id }) => (
          <Tile key={id} id={id} />
        ))}
      </ul>
    </section>
  )
}

function Climate({ room }: RoomProps): JSX.Element | null {
  const measured = room.units.map(({ id, class: is }) => ({ is, reading: readingsOf(id).value }))
  // Gangs measure their own power, also those of a module in another room.
  const units = new Set(room.units.map(({ id }) => id))
  const gangs = room.devices.filter(({ id }) => !units.has(id)).map(({ id }) => readingsOf(id).value)
  const said = roomClimate([...measured, ...gangs.map((reading) => ({ is: 'gang', reading }))])
  return said.length === 0 ? null : (
    <p class="climate" title={said.join(' · ')}>
      {said.join(' · ')}
    </p>
  )
}

/** Switches off the lights that are on, and on again those that it switched off. */
function LightsOff({ room }: RoomProps): JSX.Element | null {
  const lit = room.devices.flatMap(({ id }) => {
    const device = deviceOf(id).value
    return device && isLight(device) && isOn(device) ? [id] : []
  })
  const { run, busy } = useAction(async () => {
    const off = await switchAll(lit, false)
    if (off.length > 0) tell(words.lightsOffDone(off.length, room.name), () => switchAll(off, true))
  })
  if (lit.length === 0) return null
  return (
    <button
      type="button"
      class="quiet"
      aria-label={words.lightsOffIn(room.name)}
      disabled={busy || !connected.value}
      onClick={() => void run()}
    >
      {words.lightsOff}
    </button>
  )
}

const switchAll = (devices: readonly string[], on: boolean): Promise<readonly string[]> =>
  controlAll(devices.map((device) => ({ device, op: 'set_power', args: { on } })))
