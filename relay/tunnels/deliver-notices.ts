import type { Notices } from '../accounts/notices.ts'
import type { GatewayTunnel } from './gateway-tunnel.ts'

export type PendingNotices = Pick<Notices, 'pending' | 'remove'>

/** Sends a home the notices of its linked accounts. Only its first tunnel carries them, so that none arrives twice. */
export async function deliverNotices(
  tunnel: GatewayTunnel,
  accounts: readonly string[],
  notices: PendingNotices,
): Promise<void> {
  const { serial, slot } = tunnel
  const pending = slot === 0 ? await notices.pending(serial) : []
  if (pending.length === 0) return
  const linked = pending.filter(({ account }) => accounts.includes(account))
  if (linked.length === 0 || (await tunnel.deliver(linked))) await notices.remove(serial, pending)
}
