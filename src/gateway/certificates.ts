import { type AddressWatcher, watchAddresses } from '../lib/lan-addresses.ts'
import { type GatewayTls, openTls } from '../tls/tls.ts'
import { closeWithTimeout } from '../lib/closing.ts'
import type { GatewayOptions } from './options.ts'

/** The CA, the server's certificate, and the machine's addresses that it names. */
export interface Certificates extends AsyncDisposable {
  readonly tls: GatewayTls
  readonly addresses: AddressWatcher
}

type CertificateOptions = Pick<GatewayOptions, 'clock' | 'random' | 'log' | 'folder' | 'interfaces'>

/**
 * Opens the CA and the certificate of the gateway with this serial, and renews the certificate when the machine's
 * addresses change. @throws TlsFolderError if the CA is missing, damaged, readable by others or another gateway's
 */
export async function openCertificates(options: CertificateOptions, serial: string): Promise<Certificates> {
  const { clock, random, log, folder, interfaces } = options
  await using opened = new AsyncDisposableStack()
  const addresses = opened.adopt(watchAddresses({ clock, log, ...(interfaces && { list: interfaces }) }), (watcher) =>
    watcher.stop(),
  )
  const tls = await openTls({ dir: folder.tls, serial, addresses: () => addresses.texts(), clock, random, log })
  closeWithTimeout(opened, 'certificates', () => tls.stop(), options)
  opened.defer(addresses.onChange(() => void tls.checkAddresses()))
  const running = opened.move()
  return { tls, addresses, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
