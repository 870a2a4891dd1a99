import type { JSX } from 'preact'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { devicePath } from '../lib/addresses.ts'
import { Said } from '../parts/action.tsx'
import { deviceIcon, isLight, isUnlocked } from '../parts/device-icon.ts'
import { Age, Icon } from '../parts/page.tsx'
import { asked, refusalOf } from '../stores/control.ts'
import { now } from '../stores/gateway-clock.ts'
import { homeTime, momentWords } from '../stores/home-time.ts'
import { connected, deviceOf } from '../stores/home.ts'
import { alarmsIn, readingsOf } from '../stores/readings.ts'
import { sinceOf } from '../stores/since.ts'
import { words } from '../words/device.ts'
import { controlWords, isOn, numberWords, stateWords } from '../words/state.ts'
import { DeviceControl } from './device-control.tsx'

/** One device: its name, which leads to its page, its confirmed state in words, and what is done most with it. */
export function Tile({ id }: { readonly id: string }): JSX.Element | null {
  const device = deviceOf(id).value
  if (device === null) return null
  const refusal = refusalOf(id)
  return (
    <li class={`tile ${lookOf(device)}`}>
      <Icon of={deviceIcon(device)} />
      <a class="name" href={devicePath(id)} dir="auto" title={device.name}>
        {device.name}
      </a>
      <StateLine device={device} />
      <DeviceControl device={device} />
      <Said of={refusal} />
    </li>
  )
}

/** The class by which a device looks as it is. */
export function lookOf(device: HomeDevice): string {
  if (alarmsIn(readingsOf(device.id).value).length > 0) return 'alarm'
  const measures = device.operations.length === 0 ? 'measures' : ''
  if (!device.reachable) return `silent ${measures}`
  if (measures !== '') return measures
  if (isUnlocked(device)) return 'unlocked'
  return isLight(device) && isOn(device) ? 'lit' : ''
}

/** A measured value that is older says so. What is switched tells each change, so its word holds while it answers. */
const OLD_MS = 30 * 60_000

/** How a device is: confirmed, asked for, old, not heard yet, or without an answer. */
export function StateLine({ device }: { readonly device: HomeDevice }): JSX.Element {
  const wish = asked.value.get(device.id)?.at(-1)
  const said = stateWords(device)
  const also = device.class === 'sensor' || device.class === 'meter' ? [] : besides(device.id)
  return (
    <span class="state">
      {!device.reachable && <strong>{words.silent}</strong>}
      <span>{said ?? (device.reachable && also.length === 0 ? words.noState : '')}</span>
      {also.map((words) => (
        <span key={words}>{words}</span>
      ))}
      {wish && <span class="asked">{words.askedFor(controlWords(wish))}</span>}
      {!wish && said !== null && <Confirmed device={device} />}
    </span>
  )
}

/** The alarms of a device that does more than measure, and its power while it draws some. */
function besides(id: string): readonly string[] {
  const reading = readingsOf(id).value
  const { power = 0 } = reading ?? {}
  const drawn = Math.round(power) === 0 ? [] : [numberWords(Math.round(power), 'W')]
  return [...alarmsIn(reading).map((kind) => words.alarms[kind]), ...drawn]
}

/** Since when a state holds, or when a value was measured; how long ago it was heard, if it may hold no more. */
function Confirmed({ device }: { readonly device: HomeDevice }): JSX.Element | null {
  const isMeasured = device.class === 'sensor' || device.class === 'meter'
  const heard = heardAt(device)
  if (heard === null) return null
  const isOld = isMeasured && now.value - heard > OLD_MS
  if (!device.reachable || !connected.value || isOld)
    return (
      <span class="confirmed">
        {words.heard} <Age at={heard} />
      </span>
    )
  const since = isMeasured ? null : sinceOf(device)
  const at = since?.at ?? heard
  const confirmedAt = isMeasured ? heard : (device.state?.asOf ?? heard)
  return (
    <time class="confirmed" dateTime={new Date(at).toISOString()} title={words.confirmedAt(momentWords(confirmedAt))}>
      {since === null ? words.measuredAt(homeTime(at)) : words.since(homeTime(at), since.isExact)}
    </time>
  )
}

/** When a device told something last, epoch milliseconds; null before that. */
export function heardAt(device: HomeDevice): number | null {
  const seen = 'lastSeen' in device ? device.lastSeen : null
  const at = Math.max(device.state?.asOf ?? 0, seen ?? 0, readingsOf(device.id).value?.asOf ?? 0)
  return at === 0 ? null : at
}
