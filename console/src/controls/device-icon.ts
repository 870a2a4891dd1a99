import type { HomeDevice } from '../../../client/src/browser.ts'
import type { IconName } from '../parts/icons.ts'
import { isLight } from './device-control.tsx'

/** The picture of what a device is. */
export function deviceIcon(device: HomeDevice): IconName {
  if (isLight(device)) return 'light'
  const icons: Readonly<Record<string, IconName>> = ICONS
  return icons[device.class] ?? 'plug'
}

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
