import type { Identity } from '../auth/authenticator.ts'
import type { DeviceClass, Operation } from '../home/model/device.ts'

/**
 * Gates that need the body: whether an operation opens something (Spec 4 rule 2). `open` on a lock is unlocking.
 * Positions of shutters and curtains are no entrances.
 */
export function opensEntrance(deviceClass: DeviceClass, op: Operation): boolean {
  return op === 'open' && (deviceClass === 'lock' || deviceClass === 'gate')
}

/** How an opening is refused, or null when it may go on: the knob first, then, for agents, a person's word every time. */
export function unlockRefusal(identity: Identity): 'unlock_not_allowed' | 'confirmation_required' | null {
  if (identity.integration.knobs.allow_unlock === 'off') return 'unlock_not_allowed'
  return identity.credential.kind === 'key' ? null : 'confirmation_required'
}
