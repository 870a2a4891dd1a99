import type { DeviceClass, Operation } from '../home/model/device.ts'

/**
 * Whether an operation opens an entrance, which only the body of a call shows (Spec 4 rule 2). `open` on a lock is
 * unlocking. Shutters and curtains are no entrances.
 */
export function opensEntrance(deviceClass: DeviceClass, op: Operation): boolean {
  return op === 'open' && (deviceClass === 'lock' || deviceClass === 'gate')
}
