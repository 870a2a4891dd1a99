import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiParts } from './api.ts'
import type { HomeParts } from './home.ts'
import type { Stores } from './stores.ts'
import type { GatewayOptions } from './options.ts'
import type { GatewayParts } from '../api/admin/gateway.ts'
import { OwnHosts } from '../http/hosts.ts'
import { createServer } from '../http/server.ts'
import { watchAddresses } from '../lib/addresses.ts'
import { LazyMcpEndpoint } from '../mcp/lazy-endpoint.ts'
import { type Announcer, createAnnouncer } from '../mdns/announcer.ts'
import { SettingsError } from './settings.ts'
import { openTls } from '../tls/tls.ts'
import { StreamServer, type StreamCounts } from '../ws/stream-server.ts'

export interface Network extends Pick<GatewayParts, 'ca' | 'leaf' | 'renew' | 'regenerateCa'> {
  readonly addresses: () => readonly string[]
  /** Listens; answers the port. */
  readonly serve: (api: ApiParts) => Promise<number>
  readonly streams: () => StreamCounts | null
  /** An integration or credential changed: open sockets and the announcement feel it at once. */
  readonly accessChanged: () => void
  readonly stopServing: () => Promise<void>
  readonly stopTls: () => Promise<void>
}

const DOCUMENTS = join(import.meta.dirname, '..', '..')

/** TLS, the HTTPS server, the stream and the announcement, over the addresses that the machine has at the time. */
export async function openNetwork(options: GatewayOptions, stores: Stores, home: HomeParts): Promise<Network> {
  const { clock, random, log, folder, settings } = options
  const watcher = watchAddresses({ clock, log })
  const tls = await openTls({
    dir: folder.tls,
    serial: stores.serial,
    addresses: () => watcher.texts(),
    clock,
    random,
    log,
  })
  let announcer: Announcer | null = null
  let hub: StreamServer | null = null
  let mcp: LazyMcpEndpoint | null = null
  let closeServer = (): Promise<void> => Promise.resolve()
  // The certificate names a new address before anybody hears of it.
  watcher.onChange((addresses) => void tls.checkAddresses().then(() => announcer?.update({ addresses })))
  tls.onChange(() => announcer?.update({ fingerprint: tls.ca.fingerprint }))
  const announceWhereWanted = (): void => {
    announcer?.setEnabled(stores.integrations.list().some((each) => each.enabled && each.knobs.mdns === 'on'))
  }

  return {
    ca: () => tls.ca,
    leaf: () => tls.leaf(),
    renew: async () => void (await tls.renew('an administrator asked')),
    regenerateCa: async () => void (await tls.regenerateCa()),
    addresses: () => watcher.texts(),
    streams: () => hub?.counts() ?? null,
    accessChanged: () => {
      hub?.recheck()
      mcp?.recheck()
      announceWhereWanted()
    },
    serve: async (api) => {
      const stream = new StreamServer({
        dispatcher: api.dispatcher,
        authenticator: api.authenticator,
        integrations: stores.integrations,
        views: api.views,
        live: home.live,
        events: home.events,
        clock,
        log,
        ...(options.streamLimits ? { limits: options.streamLimits } : {}),
      })
      hub = stream
      const door = new LazyMcpEndpoint({
        dispatcher: api.dispatcher,
        authenticator: api.authenticator,
        clock,
        random,
        log,
      })
      mcp = door
      const server = await createServer({
        dispatcher: api.dispatcher,
        stream,
        mcp: door,
        ...(options.connections ? { connections: options.connections } : {}),
        documents: {
          openapi: kept('openapi/openapi.json'),
          asyncapi: kept('asyncapi/asyncapi.json'),
          caPem: () => tls.ca.pem,
        },
        hosts: new OwnHosts(stores.serial, () => watcher.texts()),
        tls: tls.secureContextOptions(),
      })
      tls.attach(server.server)
      closeServer = async () => {
        await server.close()
      }
      await listen(server, settings.host, settings.port)
      const address = server.server.address()
      const port = typeof address === 'object' && address !== null ? address.port : settings.port
      if (options.announce) {
        announcer = createAnnouncer({
          serial: stores.serial,
          port,
          fingerprint: tls.ca.fingerprint,
          addresses: watcher.current(),
          clock,
          random,
          log,
        })
        announceWhereWanted()
      }
      return port
    },
    stopServing: async () => {
      await announcer?.stop()
      await mcp?.stop()
      await closeServer()
    },
    stopTls: async () => {
      watcher.stop()
      await tls.stop()
    },
  }
}

/** A document, read once, when first asked for. */
function kept(file: string): () => Buffer {
  let bytes: Buffer | undefined
  return () => (bytes ??= readFileSync(join(DOCUMENTS, file)))
}

interface Listening {
  listen(options: { host: string; port: number }): Promise<string>
}

async function listen(server: Listening, host: string, port: number): Promise<void> {
  try {
    await server.listen({ host, port })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    // A machine without IPv6 has no address that stands for all of both kinds.
    if (code === 'EAFNOSUPPORT' && host === '::') return listen(server, '0.0.0.0', port)
    if (code === 'EADDRINUSE')
      throw new SettingsError(`Port ${port} is in use: stop what listens there, or choose another with HM_PORT.`)
    if (code === 'EACCES')
      throw new SettingsError(`This user may not listen on port ${port}: choose one above 1023 with HM_PORT.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new SettingsError(`This machine has no address ${host}: choose another with HM_HOST.`)
    throw error
  }
}
