import { readFileSync } from 'node:fs'
import type { Server as NetServer } from 'node:net'
import { join } from 'node:path'
import { TurnBatch } from '../lib/turn-batch.ts'
import { API_VERSION } from '../api/contract/index.ts'
import { errorCode } from '../lib/files.ts'
import { OwnHosts } from '../http/hosts.ts'
import type { RelayedConnections } from '../http/relayed-connections.ts'
import { createServer, type Documents } from '../http/server.ts'
import { LazyMcpEndpoint } from '../mcp/lazy-endpoint.ts'
import type { GatewayTls } from '../tls/tls.ts'
import type { StreamCounts } from '../ws/stream-counts.ts'
import { StreamServer } from '../ws/stream-server.ts'
import { withOwner } from '../auth/persons/person.ts'
import type { AccessParts } from './access.ts'
import { Gzipped } from '../lib/gzipped.ts'
import { type AnnouncementState, type Announcer, createAnnouncer } from '../mdns/announcer.ts'
import type { ApiParts } from './api.ts'
import type { Certificates } from './certificates.ts'
import { closeWithTimeout } from '../lib/closing.ts'
import type { Console } from './console.ts'
import type { HomeParts } from './home.ts'
import type { GatewayOptions } from './options.ts'
import { type GatewaySettings, SettingsError } from '../settings/settings.ts'
import type { Stores } from './stores.ts'
import { type Integration, isOfPeople } from '../exposure/integration.ts'

export interface Network extends AsyncDisposable {
  readonly port: number
  readonly streams: () => StreamCounts
  /** State of the announcement on the home's networks; null if the gateway announces nothing. */
  readonly announcement: (() => AnnouncementState) | null
  /** The live stream and the MCP endpoint, for requests that do not come over its port. */
  readonly stream: StreamServer
  readonly mcp: LazyMcpEndpoint
  /** Accepts clients' own TLS connections through a relay. */
  readonly relayed: RelayedConnections
}

export interface NetworkParts extends Pick<Certificates, 'tls' | 'addresses'> {
  readonly stores: Stores
  readonly home: HomeParts
  readonly access: AccessParts
  readonly api: ApiParts
  readonly console: Console
}

/**
 * Serves the API over HTTPS, on the stream and to agents, and announces it. @throws SettingsError if it cannot listen
 */
export async function openNetwork(options: GatewayOptions, parts: NetworkParts): Promise<Network> {
  const { tls, addresses } = parts
  await using opened = new AsyncDisposableStack()
  const turnBatch = new TurnBatch()
  const stream = opened.adopt(streamServer(options, parts, turnBatch), (server) => server.close())
  const mcp = mcpEndpoint(options, parts)
  const { server, relayed } = await createServer({
    dispatcher: parts.api.dispatcher,
    stream,
    mcp,
    documents: documents(tls),
    turnBatch,
    hosts: new OwnHosts(parts.stores.serial, () => addresses.texts()),
    tls: tls.secureContextOptions(),
    clock: options.clock,
    console: parts.console.parts,
    operators: { ...parts.console, operators: parts.access.operators, log: options.log },
    relayClock: options.relayClock ?? options.clock,
    fastPath: options.settings.fastPath ?? true,
    ...(options.plugins ? { plugins: options.plugins } : {}),
    ...(options.connections ? { connections: options.connections } : {}),
  })
  closeWithTimeout(opened, 'https', () => server.close(), options)
  // Before the server closes, because that waits for the end of open responses.
  closeWithTimeout(opened, 'mcp', () => mcp.stop(), options)
  tls.attach(server.server)
  tls.attach(relayed)
  await listen(server, options.settings)
  const port = portOf(server.server, options.settings)
  const announcement = options.announce ? openAnnouncement(options, { ...parts, port }) : null
  if (announcement !== null) closeWithTimeout(opened, 'announcement', () => announcement.close(), options)

  const running = opened.move()
  return {
    port,
    streams: () => stream.counts(),
    announcement: announcement?.state ?? null,
    stream,
    mcp,
    relayed,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function streamServer(
  { clock, log, streamLimits }: GatewayOptions,
  parts: NetworkParts,
  turnBatch: TurnBatch,
): StreamServer {
  const { stores, home, access, api } = parts
  return new StreamServer({
    dispatcher: api.dispatcher,
    authenticator: access.authenticator,
    integrations: withOwner(stores.integrations),
    accessChanges: access.changes,
    views: api.views,
    live: home.live,
    rules: home.rules,
    events: home.events,
    notices: home.messages.notices,
    adminTopics: parts.console.topics,
    turnBatch,
    clock,
    log,
    ...(streamLimits ? { limits: streamLimits } : {}),
  })
}

function mcpEndpoint({ clock, log }: GatewayOptions, { home, access, api }: NetworkParts): LazyMcpEndpoint {
  return new LazyMcpEndpoint({
    dispatcher: api.dispatcher,
    authenticator: access.authenticator,
    accessChanges: access.changes,
    timeZone: () => home.house.info.timeZone,
    clock,
    log,
    sessions: access.agentSessions,
  })
}

const PROJECT = join(import.meta.dirname, '..', '..')

function documents(tls: GatewayTls): Documents {
  return {
    openapi: cachedDocument('openapi/openapi.json'),
    asyncapi: cachedDocument('asyncapi/asyncapi.json'),
    caPem: () => tls.ca.pem,
  }
}

/** Reads a document at its first request and caches it. */
function cachedDocument(file: string): () => Gzipped {
  let document: Gzipped | undefined
  return () => (document ??= new Gzipped(readFileSync(join(PROJECT, file))))
}

/** The actual port of a server, which differs from the setting if that is 0. */
export function portOf(server: Pick<NetServer, 'address'>, { port }: Pick<GatewaySettings, 'port'>): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

interface Listening {
  listen(options: { host: string; port: number }): Promise<string>
}

/** @throws SettingsError if it cannot listen */
export async function listen(server: Listening, { host, port }: Pick<GatewaySettings, 'host' | 'port'>): Promise<void> {
  try {
    await server.listen({ host, port })
  } catch (error) {
    const code = errorCode(error)
    // A machine without IPv6 cannot listen on `::`.
    if (code === 'EAFNOSUPPORT' && host === '::') return listen(server, { host: '0.0.0.0', port })
    if (code === 'EADDRINUSE')
      throw new SettingsError(
        `Port ${port} is in use: stop the program that listens there, or choose another port with HM_PORT.`,
      )
    if (code === 'EACCES')
      throw new SettingsError(`This user may not listen on port ${port}: choose one above 1023 with HM_PORT.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new SettingsError(`This machine has no address ${host}: choose another with HM_HOST.`)
    throw error
  }
}

/**
 * Announces the gateway on the home's networks while an enabled integration has the knob `mdns` on, with the current
 * addresses and fingerprint.
 */
export function openAnnouncement(
  { clock, random, log, announcementSockets }: GatewayOptions,
  parts: { stores: Stores; access: AccessParts; port: number } & Pick<Certificates, 'tls' | 'addresses'>,
): { readonly state: () => AnnouncementState; readonly close: () => Promise<void> } {
  const { stores, tls, addresses, port } = parts
  const announcer: Announcer = createAnnouncer({
    serial: stores.serial,
    version: API_VERSION,
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
      for (const end of unsubscribe) end()
      await announcer.stop()
    },
  }
}

function wantsAnnouncement(integration: Integration): boolean {
  return integration.enabled && integration.knobs.mdns === 'on' && !isOfPeople(integration)
}
