import type { DeviceClass, Operation } from '../home/model/device.ts'

/**
 * Gates that need the body: whether an operation opens something (Spec 4 rule 2). `open` on a lock is unlocking.
 * Positions of shutters and curtains are no entrances.
 */
export function opensEntrance(deviceClass: DeviceClass, op: Operation): boolean {
  return op === 'open' && (deviceClass === 'lock' || deviceClass === 'gate')
}
