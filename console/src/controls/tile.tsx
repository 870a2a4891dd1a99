import type { JSX } from 'preact'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { devicePath } from '../lib/addresses.ts'
import { Icon } from '../parts/icon.tsx'
import { Said } from '../parts/said.tsx'
import { isOn } from '../words/state.ts'
import { refusalOf } from '../stores/control.ts'
import { deviceOf } from '../stores/home.ts'
import { alarmsIn, readingsOf } from '../stores/readings.ts'
import { DeviceControl } from './device-control.tsx'
import { deviceIcon, isLight, isUnlocked } from '../parts/device-icon.ts'
import { StateLine } from './state-line.tsx'

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
