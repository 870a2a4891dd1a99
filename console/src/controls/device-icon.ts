import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import type { IconName } from '../parts/icons.ts'
import { fieldOf } from '../state-words.ts'
import { type Alarm, alarmsIn, readingsOf } from '../stores/readings.ts'
import { isLight } from './device-control.tsx'

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
