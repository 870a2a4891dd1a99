import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import type { IconName } from './icons.ts'
import { fieldOf } from '../words/state.ts'
import { type Alarm, alarmsIn, readingsOf } from '../stores/readings.ts'

/** Icon of a device's alarm, else of the device. */
export function deviceIcon(device: HomeDevice): IconName {
  const [alarm] = alarmsIn(readingsOf(device.id).value)
  if (alarm !== undefined) return alarmIcon(alarm)
  if (isLight(device)) return 'light'
  if (isUnlocked(device)) return 'unlocked'
  const icons: Readonly<Record<string, IconName>> = ICONS
  return icons[device.class] ?? 'plug'
}

/** True if a lock or gate has confirmed that it is unlocked. */
export const isUnlocked = (device: HomeDevice): boolean => fieldOf(device, 'locked') === false

export const alarmIcon = (kind: Alarm['kind']): IconName => (kind === 'tamper' ? 'alert' : kind)

const ICONS = {
  ac: 'climate',
  curtain: 'curtain',
  gang_module: 'tune',
  gate: 'gate',
  ir_remote: 'remote',
  lock: 'lock',
  meter: 'zap',
  sensor: 'sensor',
  shutter: 'blinds',
  shutter_gang: 'blinds',
} as const

/** True for dimmers, and for light switches unless the house file names another load. */
export function isLight(device: HomeDevice): boolean {
  if (device.class === 'light_dimmer') return true
  const feedsLight = 'light' in device ? device.light : undefined
  return feedsLight === true || (device.class === 'light_switch' && feedsLight !== false)
}
