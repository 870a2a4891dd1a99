import { readFileSync } from 'node:fs'
import type { Server } from 'node:https'
import { join } from 'node:path'
import { type Clock, every } from '@hm-gateway/lib/clock.ts'
import { closeWithTimeout } from '@hm-gateway/lib/closing.ts'
import { errorCode } from '@hm-gateway/lib/files.ts'
import { Gzipped } from '@hm-gateway/lib/gzipped.ts'
import type { Log } from '@hm-gateway/lib/log.ts'
import { randomId } from '@hm-gateway/lib/random.ts'
import type { Passwords } from './accounts/passwords.ts'
import { type Certificate, openCertificate } from './certificate.ts'
import { takeDataFolder } from './data-folder.ts'
import { Edge } from './edge/edge.ts'
import type { EdgeLimits } from './edge/limits.ts'
import { createEdgeServer } from './edge/server.ts'
import { counted } from './model/counted.ts'
import { listening } from './model/listening.ts'
import { logsRequests, type RelaySettings, SettingsError } from './model/relay-settings.ts'
import { RelayMetrics } from './metrics/metrics.ts'
import { serveMetrics } from './metrics/server.ts'
import { RelayNode } from './nodes/relay-node.ts'
import { peerOf } from './limits/connections.ts'
import { openShared } from './shared.ts'
import { type Directory, LocalDirectory } from './tunnels/directory.ts'
import { TunnelHomes } from './tunnels/tunnel-homes.ts'
import { Tunnels } from './tunnels/tunnels.ts'
import { Web } from './web.ts'
import type { RelayParts } from './store/relay-parts.ts'

export interface RelayOptions extends Pick<RelayParts, 'clock' | 'random' | 'log'> {
  readonly settings: RelaySettings
  /** Fetches clients' metadata documents; tests replace it. */
  readonly fetch?: typeof globalThis.fetch
  /** Tests use cheaper hashes. */
  readonly passwords?: Passwords
  /** Tests use other limits than docs/limits.md#relay. */
  readonly limits?: EdgeLimits & {
    readonly connectionsOfAddress: number
    readonly handshakesOfAddress: EdgeLimits['ofHome']
    readonly unlinkedMax?: number
  }
}

/** `node` is this node's name, another one at each start; `nodes` how many the relay has now. */
export type Relay = Awaited<ReturnType<typeof openRelay>>

interface ListenerParts {
  readonly certificate: Certificate
  readonly web: Web
  readonly tunnels: Tunnels
  readonly directory: Directory
  readonly metrics: RelayMetrics
  readonly opened: AsyncDisposableStack
}

const NODE_LETTERS = 8
/** Interval at which a relay of one process looks for changes by its operator's commands. */
const OPERATOR_CHECK_MS = 1_000
/** Interval at which a stopping relay closes idle connections. */
const IDLE_CHECK_MS = 100
const PROJECT = join(import.meta.dirname, '..')
const OPENAPI = 'openapi/openapi.json'
const DOCUMENTS = { '/openapi.json': documentOf(OPENAPI), '/asyncapi.json': documentOf('asyncapi/asyncapi.json') }

/**
 * Opens one node of a relay: edge, tunnels, accounts, and the shared store and bus.
 * @throws SettingsError with a problem that its operator can solve.
 */
export async function openRelay(options: RelayOptions) {
  const { settings, clock, random, log, limits } = options
  await using opened = new AsyncDisposableStack()
  takeDataFolder(opened, settings)
  const certificate = opened.use(await openCertificate(options))
  checkNames(settings, certificate)
  const metrics = new RelayMetrics()
  const node = randomId(random, NODE_LETTERS)
  const sharedParts = await openShared(opened, { settings, node, clock, log })
  const store = counted(sharedParts.store, () => metrics.storeErrors.add())
  const bus = counted(sharedParts.bus, () => metrics.busErrors.add())
  const shared = { store, clock, random, log, metrics, origin: settings.url }
  const local = new LocalDirectory()
  const self = await RelayNode.open({ ...sharedParts, bus, node, local, clock, random, log })
  closeWithTimeout(opened, 'other nodes', () => self[Symbol.asyncDispose](), { clock, log })
  const { directory } = self
  const homes = new TunnelHomes(directory, clock)
  const web: Web = new Web({ ...shared, ...webSettings(options), homes, linkChanged: self.linkChanged.bind(self) })
  const { accounts, enrolment } = web
  opened.defer(() => accounts.events.flush())
  const tunnels = new Tunnels({
    ...shared,
    directory: local,
    enrolment,
    notices: accounts.notices,
    node,
    nodes: () => self.count,
    announced: () => bus.settled(),
    ...(limits ? { limits } : {}),
  })
  opened.defer(() => tunnels.stop())
  opened.defer(every(clock, OPERATOR_CHECK_MS, () => sharedParts.changedElsewhere() && tunnels.recheckLinks()))
  self.serve(tunnels, () => void tunnels.drain())
  addGauges(metrics, tunnels, self)
  const { server, edge } = serverOf(options, { certificate, web, tunnels, directory, metrics, opened })
  const metricsPort = await openMetrics(opened, metrics, settings)
  const port = await listen(server, options)
  opened.defer(() => server.closeAllConnections())
  const running = opened.move()
  return {
    url: settings.url,
    port,
    authority: certificate.authority,
    accounts,
    enrolment,
    tunnels,
    node,
    nodes: () => self.count,
    /** Loopback port of the metrics, or null. */
    metricsPort,
    openCounts: () => openCounts(tunnels, self, edge),
    /** Moves gateways to other nodes, lets open requests finish within `graceMs`, and closes everything. */
    stop: async (graceMs: number): Promise<void> => {
      await drainAndClose({ server, tunnels, self }, { clock, log, graceMs })
      await running.disposeAsync()
    },
  }
}

/** Open tunnels, streams (to other nodes too) and end-to-end connections of this relay process. */
function openCounts(tunnels: Tunnels, self: RelayNode, edge: Edge) {
  const { linked, unlinked, streams } = tunnels.counts()
  return { tunnels: linked + unlinked, streams, nodeStreams: self.streams, endToEnd: edge.passthrough.size }
}

/** Creates the one port and its handlers. */
function serverOf(
  { settings, clock, random, log, limits }: RelayOptions,
  { certificate, web, tunnels, directory, metrics, opened }: ListenerParts,
): { readonly server: Server; readonly edge: Edge } {
  const edge = new Edge({
    clock,
    random,
    log,
    metrics,
    directory,
    names: () => [new URL(settings.url).hostname, ...(certificate.names() ?? [])],
    web,
    routes: () => [...web.routes, ...serviceRoutes()],
    documents: DOCUMENTS,
    ...(limits ? { limits } : {}),
  })
  opened.defer(() => edge.passthrough.stop())
  const server = createEdgeServer({
    tls: certificate.options(),
    edge,
    tunnel: (socket) => tunnels.accept(socket),
    clock,
    ...limits,
  })
  certificate.onChange(() => server.setSecureContext(certificate.options()))
  return { server, edge }
}

function webSettings({ settings, passwords, fetch: asking = fetch }: RelayOptions) {
  const { signUp, metadataDocuments, securityContact } = settings
  return {
    signUp,
    metadataDocuments,
    securityContact,
    logsRequests: logsRequests(settings),
    fetch: asking,
    peerOf,
    ...(passwords ? { passwords } : {}),
  }
}

/** Stops listening, moves gateways to other nodes, and waits for open requests. */
async function drainAndClose(
  { server, tunnels, self }: { readonly server: Server; readonly tunnels: Tunnels; readonly self: RelayNode },
  { clock, log, graceMs }: { readonly clock: Clock; readonly log: Log; readonly graceMs: number },
): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>()
  const cancelTimeout = clock.after(graceMs, () => {
    if (graceMs > 0) log.warn(tunnels.counts(), 'Open requests did not finish in time and are closed.')
    resolve()
  })
  const closed = new Promise<void>((done) => {
    server.close(() => done())
  })
  // `server.close` does not close connections that become idle later.
  const stopClosing = every(clock, IDLE_CHECK_MS, () => server.closeIdleConnections())
  if (graceMs > 0) await Promise.race([tunnels.drain(), timeout])
  await Promise.race([Promise.all([closed, self.idle()]), timeout])
  cancelTimeout()
  stopClosing()
}

function checkNames({ url, tls }: RelaySettings, certificate: Certificate): void {
  const names = certificate.names()
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (tls !== null || names === null || names.includes(host)) return
  throw new SettingsError(
    `The relay's own certificate is not valid for ${host}: set HM_RELAY_TLS_CERT and HM_RELAY_TLS_KEY, or use one of these names in HM_RELAY_URL: ${names.join(', ')}.`,
  )
}

/** @throws SettingsError if address or port are not available. */
async function listen(server: Server, { settings, log }: Pick<RelayOptions, 'settings' | 'log'>): Promise<number> {
  const { host, port } = settings
  try {
    const ownPort = await listening(server, { host, port }, 'HM_RELAY_PORT')
    server.on('error', (error: Error) => log.error({ err: error }, 'The relay cannot accept connections now.'))
    return ownPort
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EAFNOSUPPORT' && host === '::')
      return await listen(server, { settings: { ...settings, host: '0.0.0.0' }, log })
    if (code === null) throw error
    throw new SettingsError(
      `The relay cannot listen at ${host} (${code}): choose an address of this machine with HM_RELAY_HOST.`,
    )
  }
}

/** Adds the gauges, whose values are read with each scrape. */
function addGauges(metrics: RelayMetrics, tunnels: Tunnels, self: RelayNode): void {
  metrics.gauge('hm_relay_tunnels', 'Tunnels of gateways at this node, by state: linked, unlinked.', () => {
    const { linked, unlinked } = tunnels.counts()
    return [
      { labels: { state: 'linked' }, value: linked },
      { labels: { state: 'unlinked' }, value: unlinked },
    ]
  })
  metrics.gauge('hm_relay_streams', 'Open requests and sockets over these tunnels.', () => [
    { value: tunnels.counts().streams },
  ])
  metrics.gauge('process_resident_memory_bytes', 'Memory of this process.', () => [
    { value: process.memoryUsage.rss() },
  ])
  metrics.gauge('process_cpu_seconds_total', 'CPU time of this process.', () => {
    const { user, system } = process.cpuUsage()
    return [{ value: (user + system) / 1e6 }]
  })
  metrics.gauge('hm_relay_nodes', 'Nodes of the relay that this node knows, including itself.', () => [
    { value: self.count },
  ])
}

/** Returns the port of the metrics; null if they are off. */
async function openMetrics(
  opened: AsyncDisposableStack,
  metrics: RelayMetrics,
  { metricsPort }: RelaySettings,
): Promise<number | null> {
  return metricsPort === null ? null : opened.use(await serveMetrics(metrics, metricsPort)).port
}

/** Path patterns of the service, from its OpenAPI document, and of MCP. */
function serviceRoutes(): readonly string[] {
  const { paths } = JSON.parse(readFileSync(join(PROJECT, OPENAPI), 'utf8')) as { readonly paths: object }
  return [...Object.keys(paths), '/mcp', '/mcp/', '/mcp/r/{id}', '/mcp/r/{id}/']
}

/** Reads a document at its first request and caches it. */
function documentOf(file: string): () => Gzipped {
  let document: Gzipped | undefined
  return () => (document ??= new Gzipped(readFileSync(join(PROJECT, file))))
}
