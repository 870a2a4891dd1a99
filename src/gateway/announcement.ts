import type { Integration } from '../exposure/integration.ts'
import { type AnnouncementState, type Announcer, createAnnouncer } from '../mdns/announcer.ts'
import type { AccessParts } from './access.ts'
import type { Certificates } from './certificates.ts'
import type { GatewayOptions } from './options.ts'
import type { Stores } from './stores.ts'

/**
 * Announces the gateway on the home's networks for as long as an enabled integration has the knob `mdns` on, with the
 * current addresses and fingerprint.
 */
export function openAnnouncement(
  { clock, random, log, announcementSockets }: GatewayOptions,
  parts: { stores: Stores; access: AccessParts; port: number } & Pick<Certificates, 'tls' | 'addresses'>,
): { readonly state: () => AnnouncementState; readonly close: () => Promise<void> } {
  const { stores, tls, addresses, port } = parts
  const announcer: Announcer = createAnnouncer({
    serial: stores.serial,
    port,
    fingerprint: tls.ca.fingerprint,
    addresses: addresses.current(),
    clock,
    random,
    log,
    ...(announcementSockets && { loadSockets: announcementSockets }),
  })
  const setEnabled = (): void => announcer.setEnabled(stores.integrations.list().some(wantsAnnouncement))
  setEnabled()
  const unsubscribe = [
    parts.access.changes.on(setEnabled),
    // The certificate names a new address before the announcement does.
    addresses.onChange((now) => void tls.checkAddresses().then(() => announcer.update({ addresses: now }))),
    tls.onChange(() => announcer.update({ fingerprint: tls.ca.fingerprint })),
  ]
  return {
    state: () => announcer.state(),
    close: async () => {
      for (const each of unsubscribe) each()
      await announcer.stop()
    },
  }
}

function wantsAnnouncement({ enabled, knobs }: Integration): boolean {
  return enabled && knobs.mdns === 'on'
}
