import { X509Certificate } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AdminDispatcher } from '../admin/dispatch.ts'
import { NotServed, refusalAnswer, refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import type { Dispatcher } from '../api/dispatch.ts'
import type { ConsoleSessions, PersonSession } from '../auth/persons/console-sessions.ts'
import type { Persons } from '../auth/persons/persons.ts'
import { acceptsGzip } from '../lib/gzipped.ts'
import type { BackupDownloads } from './backup-download.ts'
import type { Connections } from './connections.ts'
import type { ConsoleFile, ConsoleFiles } from './console-files.ts'
import { SECURITY_HEADERS, withConsoleHeaders } from './console-answers.ts'
import { registerSignInRoutes, type SignInRouteParts } from './sign-in-routes.ts'
import { peerOf, route, type Scope, send } from './reply.ts'
import { notServed, pathOf } from './service-routes.ts'
import { trustFile } from './trust-files.ts'

export interface ConsoleParts extends SignInRouteParts {
  /** Clients that may open the console: all in the home network, or only those on this machine. */
  readonly reach: 'on' | 'loopback'
  readonly sessions: ConsoleSessions
  /** True for an address in the networks of the home, or of this machine. */
  readonly isAtHome: (peer: string) => boolean
  readonly persons: Pick<Persons, 'hasAccount'>
  /** Called when somebody uses the console, with the address of their browser. */
  readonly used: (session: PersonSession, peer: string) => void
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
export function registerConsolePages(scope: Scope, parts: PageParts): void {
  const { console, dispatcher, connections, caPem } = parts
  scope.addHook('onRequest', (request, reply, done) => {
    // The path is compared as the client sent it, so an encoded prefix is not found.
    if (request.originalUrl.startsWith(CONSOLE) && isRequestAllowed(parts, request)) done()
    else send(reply, notServed(dispatcher, request.raw, connections))
  })
  registerSignInRoutes(scope, {
    ...console,
    caFingerprint: () => new X509Certificate(caPem()).fingerprint256,
    counts: dispatcher.counts,
  })
  const page = (request: FastifyRequest, reply: FastifyReply): void => {
    const path = pathOf(request.originalUrl)
    if (path === CONSOLE) send(reply, redirectTo(`${CONSOLE}/`))
    else servePage(parts, request, reply, path.slice(CONSOLE.length + 1))
  }
  for (const url of ['/', '/*']) route(scope, scope.supportedMethods, url, page)
}

/** Redirects a browser from the root path to the console. */
export function redirectRoot(scope: Scope, parts: PageParts): void {
  route(scope, 'GET', '/', (request, reply) => {
    // The router also passes paths with empty segments, such as `//`.
    const redirects = pathOf(request.originalUrl) === '/' && isRequestAllowed(parts, request) && isNavigation(request)
    send(reply, redirects ? redirectTo(`${CONSOLE}/`) : notServed(parts.dispatcher, request.raw, parts.connections))
  })
}

/** True unless the request comes through a relay or from a peer that may not open the console. */
function isRequestAllowed({ console, connections }: PageParts, request: FastifyRequest): boolean {
  return connections.viaOf(request.socket) === 'home' && isPeerAllowed(console.reach, peerOf(request))
}

/** True if a client at this IP address may open the console. */
export function isPeerAllowed(reach: ConsoleParts['reach'], peer: string): boolean {
  return reach === 'on' || peer === '::1' || peer.startsWith('127.')
}

function isNavigation({ method, headers }: FastifyRequest): boolean {
  if (method !== 'GET' || headers.authorization !== undefined) return false
  return headers['sec-fetch-mode'] === 'navigate' || headers.accept?.includes('text/html') === true
}

function redirectTo(location: string): Answer {
  return { status: 303, headers: { location, ...SECURITY_HEADERS }, body: '' }
}

function servePage({ console, caPem }: PageParts, request: FastifyRequest, reply: FastifyReply, path: string): void {
  const { method } = request
  const file = path.startsWith(TRUST)
    ? trustFile(path.slice(TRUST.length), caPem(), console.gateway)
    : console.files.at(path)
  if (file === null) answerUnknownPath(console.files, request, reply)
  else if (method !== 'GET' && method !== 'HEAD') send(reply, refusalAnswer(new NotServed(['GET', 'HEAD'])))
  else void fileAnswer(file, request).then((answer) => send(reply, answer))
}

/** Answers an unknown path: a person gets the console's 404 page, a script a refusal in the Error shape. */
function answerUnknownPath(files: ConsoleFiles, request: FastifyRequest, reply: FastifyReply): void {
  if (isNavigation(request))
    void fileAnswer(files.document, request).then((answer) => send(reply, { ...answer, status: 404 }))
  else send(reply, withConsoleHeaders(refusedWith('not_found', { message: 'There is no such page.' })))
}

async function fileAnswer({ content, type, immutable }: ConsoleFile, request: FastifyRequest): Promise<Answer> {
  const gzip = acceptsGzip(request.headers['accept-encoding']?.toString()) ? await content.gzip() : null
  const body = gzip ?? content.bytes
  return {
    status: 200,
    headers: {
      'content-type': type,
      'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-security-policy': contentSecurityPolicy(request.headers.host ?? 'localhost'),
      vary: 'Accept-Encoding',
      ...SECURITY_HEADERS,
      ...(gzip === null ? {} : { 'content-encoding': 'gzip' }),
    },
    body,
  }
}

/** Content security policy (docs/console.md#headers); `host` is a validated host of the gateway. */
function contentSecurityPolicy(host: string): string {
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
