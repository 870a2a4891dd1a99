import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import type { IconName } from './icons.ts'
import { fieldOf } from '../words/state.ts'
import { type Alarm, alarmsIn, readingsOf } from '../stores/readings.ts'

/** The picture of a device, or of its alarm. */
export function deviceIcon(device: HomeDevice): IconName {
  const [alarm] = alarmsIn(readingsOf(device.id).value)
  if (alarm !== undefined) return alarmIcon(alarm)
  if (isLight(device)) return 'light'
  if (isUnlocked(device)) return 'unlocked'
  const icons: Readonly<Record<string, IconName>> = ICONS
  return icons[device.class] ?? 'plug'
}

/** Whether a door is unlocked for certain. */
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

/** Whether it gives light: a dimmer, or a switch that nobody says feeds something else. */
export function isLight(device: HomeDevice): boolean {
  if (device.class === 'light_dimmer') return true
  const feeds = 'light' in device ? device.light : undefined
  return feeds === true || (device.class === 'light_switch' && feeds !== false)
}
