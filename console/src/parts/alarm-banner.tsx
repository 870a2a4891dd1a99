import type { JSX } from 'preact'
import { alarmIcon } from './device-icon.ts'
import { devicePath } from '../lib/addresses.ts'
import { floors } from '../stores/floors.ts'
import { deviceOf } from '../stores/home.ts'
import { type Alarm, alarms } from '../stores/readings.ts'
import { words } from '../words/device.ts'
import { Icon } from './icon.tsx'

/** Names every alarm of the home on every page until the unit reports its end. */
export function AlarmBanner(): JSX.Element {
  const more = alarms.value.length - SHOWN_MAX
  return (
    <div role="alert">
      {alarms.value.slice(0, SHOWN_MAX).map((alarm) => (
        <AlarmLine key={`${alarm.kind} ${alarm.id}`} {...alarm} />
      ))}
      {more > 0 && <p class="banner alarm">{words.moreAlarms(more)}</p>}
    </div>
  )
}

/** More would push the page away. */
const SHOWN_MAX = 5

function AlarmLine({ id, kind }: Alarm): JSX.Element | null {
  const device = deviceOf(id).value
  if (device === null) return null
  const rooms = floors.value.flatMap((floor) => floor.rooms)
  const room = rooms.find((each) => each.devices.some((shown) => shown.id === id))
  return (
    <p class="banner alarm">
      <Icon of={alarmIcon(kind)} />
      <strong>{words.alarms[kind]}</strong>
      <a href={devicePath(id)} dir="auto">
        {room ? words.deviceIn(device.name, room.name) : device.name}
      </a>
    </p>
  )
}
