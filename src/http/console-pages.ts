import { X509Certificate } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AdminDispatcher } from '../admin/dispatch.ts'
import { NotServed, refusalAnswer, refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import type { Dispatcher } from '../api/dispatch.ts'
import type { ConsoleSessions } from '../auth/persons/console-sessions.ts'
import type { Persons } from '../auth/persons/persons.ts'
import { acceptsGzip } from '../lib/gzipped.ts'
import type { BackupDownloads } from './backup-download.ts'
import type { Connections } from './connections.ts'
import type { ConsoleFile, ConsoleFiles } from './console-files.ts'
import { PLAIN_HEADERS, withHeaders } from './console-answers.ts'
import { consoleEntry, type EntryParts } from './console-entry.ts'
import { peerOf, route, type Scope, send } from './reply.ts'
import { notServed, pathOf } from './service-routes.ts'
import { trustFile } from './trust-files.ts'

export interface ConsoleParts extends EntryParts {
  /** Audience of the console: the home network, or this machine only. */
  readonly reach: 'on' | 'loopback'
  readonly sessions: ConsoleSessions
  readonly persons: Pick<Persons, 'hasAccount'>
  readonly files: ConsoleFiles
  /** The administrators' pipeline; null until it opens, after the network. */
  readonly admin: () => Pick<AdminDispatcher, 'answer'> | null
  /** Backup downloads; null until the administrators' pipeline opens. */
  readonly downloads: () => BackupDownloads | null
}

interface PageParts {
  readonly console: ConsoleParts
  readonly dispatcher: Dispatcher
  readonly caPem: () => string
  readonly connections: Connections
}

export const CONSOLE = '/console'
const TRUST = 'trust/'

/** Serves the console's pages, its sign-in routes and the CA for devices. */
export function consolePages(scope: Scope, parts: PageParts): void {
  const { console, dispatcher, connections, caPem } = parts
  scope.addHook('onRequest', (request, reply, done) => {
    // The path is compared as the client sent it, so an encoded prefix is not found.
    if (request.originalUrl.startsWith(CONSOLE) && mayReach(parts, request)) done()
    else send(reply, notServed(dispatcher, request.raw, connections))
  })
  consoleEntry(scope, {
    ...console,
    caFingerprint: () => new X509Certificate(caPem()).fingerprint256,
    counts: dispatcher.counts,
  })
  const page = (request: FastifyRequest, reply: FastifyReply): void => {
    const path = pathOf(request.originalUrl)
    if (path === CONSOLE) send(reply, movedTo(`${CONSOLE}/`))
    else servePage(parts, request, reply, path.slice(CONSOLE.length + 1))
  }
  for (const url of ['/', '/*']) route(scope, scope.supportedMethods, url, page)
}

/** Redirects a browser from the root path to the console. */
export function consoleAtRoot(scope: Scope, parts: PageParts): void {
  route(scope, 'GET', '/', (request, reply) => {
    // The router also matches paths with empty segments here.
    const redirects = pathOf(request.originalUrl) === '/' && mayReach(parts, request) && isNavigation(request)
    send(reply, redirects ? movedTo(`${CONSOLE}/`) : notServed(parts.dispatcher, request.raw, parts.connections))
  })
}

/** True if the console is reachable: not through a relay, and only from allowed peers. */
function mayReach({ console, connections }: PageParts, request: FastifyRequest): boolean {
  return connections.viaOf(request.socket) === 'home' && isReached(console.reach, peerOf(request))
}

/** True if this peer may reach the console. */
export function isReached(reach: ConsoleParts['reach'], peer: string): boolean {
  return reach === 'on' || peer === '::1' || peer.startsWith('127.')
}

function isNavigation({ method, headers }: FastifyRequest): boolean {
  if (method !== 'GET' || headers.authorization !== undefined) return false
  return headers['sec-fetch-mode'] === 'navigate' || headers.accept?.includes('text/html') === true
}

function movedTo(location: string): Answer {
  return { status: 303, headers: { location, ...PLAIN_HEADERS }, body: '' }
}

function servePage({ console, caPem }: PageParts, request: FastifyRequest, reply: FastifyReply, path: string): void {
  const { method } = request
  const file = path.startsWith(TRUST)
    ? trustFile(path.slice(TRUST.length), caPem(), console.gateway)
    : console.files.at(path)
  if (file === null) noPage(console.files, request, reply)
  else if (method !== 'GET' && method !== 'HEAD') send(reply, refusalAnswer(new NotServed(['GET', 'HEAD'])))
  else void fileAnswer(file, request).then((answer) => send(reply, answer))
}

/** Answers an unknown path: a person gets the console's 404 page, a script a refusal in the Error shape. */
function noPage(files: ConsoleFiles, request: FastifyRequest, reply: FastifyReply): void {
  if (isNavigation(request))
    void fileAnswer(files.document, request).then((answer) => send(reply, { ...answer, status: 404 }))
  else send(reply, withHeaders(refusedWith('not_found', { message: 'There is no such page.' })))
}

async function fileAnswer({ content, type, immutable }: ConsoleFile, request: FastifyRequest): Promise<Answer> {
  const gzip = acceptsGzip(request.headers['accept-encoding']?.toString()) ? await content.gzip() : null
  const body = gzip ?? content.bytes
  return {
    status: 200,
    headers: {
      'content-type': type,
      'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-security-policy': policyFor(request.headers.host ?? 'localhost'),
      vary: 'Accept-Encoding',
      ...PLAIN_HEADERS,
      ...(gzip === null ? {} : { 'content-encoding': 'gzip' }),
    },
    body,
  }
}

/** Content security policy (docs/console.md#headers); `host` is a validated host of the gateway. */
function policyFor(host: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' wss://${host}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types hm',
  ].join('; ')
}
