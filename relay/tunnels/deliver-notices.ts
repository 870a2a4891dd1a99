import type { Notices } from '../accounts/notices.ts'
import type { ProvedTunnel } from './proved-tunnel.ts'

export type DeliveredNotices = Pick<Notices, 'of' | 'taken'>

/** Sends a home news of the accounts that are linked to it; by its first tunnel alone, so that it has them once. */
export async function deliverNotices(
  proved: ProvedTunnel,
  accounts: readonly string[],
  notices: DeliveredNotices,
): Promise<void> {
  const { serial, slot } = proved
  const waiting = slot === 0 ? await notices.of(serial) : []
  if (waiting.length === 0) return
  const linked = waiting.filter(({ account }) => accounts.includes(account))
  if (linked.length === 0 || (await proved.notify(linked))) await notices.taken(serial, waiting)
}
