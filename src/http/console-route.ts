import { X509Certificate } from 'node:crypto'
import type { Server as HttpsServer } from 'node:https'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AdminBy, AdminDispatcher } from '../admin/dispatch.ts'
import { NotServed, refusalAnswer, refusedWith } from '../api/answers.ts'
import { type Answer, type Body, BODY_BYTES_MAX } from '../api/call.ts'
import { sessionCookie } from '../admin/console-entry.ts'
import type { Dispatcher } from '../api/dispatch.ts'
import type { ConsoleSessions, PersonSession } from '../auth/persons/console-sessions.ts'
import type { Persons } from '../auth/persons/persons.ts'
import type { Site } from '../auth/persons/passkeys.ts'
import { acceptsGzip } from '../lib/gzipped.ts'
import { isUpgraded } from '../lib/request-head.ts'
import { ADMIN_BODY_BYTES_MAX } from './admin-server.ts'
import { type BackupDownloads, nameOfBackup, sendBackup } from './backup-download.ts'
import type { Connections } from './connections.ts'
import type { ConsoleFile, ConsoleFiles } from './console-files.ts'
import { answerBody, PLAIN_HEADERS, withHeaders } from './console-answers.ts'
import { type EntryParts, serveEntry, siteOfPage } from './console-entry.ts'
import { cookieOf, hasSharedCookie, sessionOf } from './console-session.ts'
import { peerOf, sendRaw } from './reply.ts'
import { trustFile } from './trust-files.ts'
import { zipped } from './zipped-answer.ts'

export interface ConsoleParts extends EntryParts {
  /** Whom it is served to: everybody, or this machine alone. */
  readonly reach: 'on' | 'loopback'
  readonly sessions: ConsoleSessions
  readonly persons: Pick<Persons, 'hasAccount'>
  readonly files: ConsoleFiles
  /** The administrators' pipeline; it opens after the network. */
  readonly admin: () => Pick<AdminDispatcher, 'answer'> | null
  /** Backups that are taken away; they open with the administrators' pipeline. */
  readonly downloads: () => BackupDownloads | null
}

interface RouteParts {
  readonly console: ConsoleParts
  readonly dispatcher: Dispatcher
  readonly caPem: () => string
  readonly connections: Connections
}

const CONSOLE = '/console/'
const TRUST = 'trust/'
const ADMIN = '/admin/'
/** Behind it the whole service, as its owner sees it. */
const HOME = '/admin/home'

/**
 * The console beside the service: its pages for everybody who may reach it, and everything under `/admin` for a person's
 * session alone. Without one such a request goes on as that to an invented path does, and is answered by the same bytes
 * (docs/console.md#invisible).
 */
export function consoleRoute(server: FastifyInstance<HttpsServer>, parts: RouteParts): void {
  server.addHook('onRequest', (request, reply, done) => {
    // As it was sent: what the router is given says of `/console/` that it leads nowhere.
    const [path = '/'] = request.originalUrl.split('?', 1)
    // It is of the home alone, whoever a relay says that a client is.
    const isAtHome = parts.connections.viaOf(request.socket) === 'home'
    if (!isAtHome || !isReached(parts.console.reach, peerOf(request))) done()
    else if (path === '/' && isNavigation(request)) sendRaw(reply, movedTo(CONSOLE))
    else if (path === '/console') sendRaw(reply, movedTo(CONSOLE))
    else if (path.startsWith(CONSOLE)) servePages(parts, request, reply, path.slice(CONSOLE.length))
    else if (path.startsWith(ADMIN) && !isUpgraded(request.raw)) serveAdmin(parts, request, reply, path, done)
    else done()
    return undefined
  })
}

/** Whether this peer may come to the console at all. */
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

function servePages(parts: RouteParts, request: FastifyRequest, reply: FastifyReply, path: string): void {
  const { method } = request
  const fingerprint = (): string => new X509Certificate(parts.caPem()).fingerprint256
  if (serveEntry(parts.console, { caFingerprint: fingerprint, counts: parts.dispatcher.counts }, request, reply, path))
    return
  const file = path.startsWith(TRUST)
    ? trustFile(path.slice(TRUST.length), parts.caPem(), parts.console.gateway)
    : parts.console.files.at(path)
  if (file === null) noPage(parts.console.files, request, reply)
  else if (method !== 'GET' && method !== 'HEAD') sendRaw(reply, refusalAnswer(new NotServed(['GET', 'HEAD'])))
  else void fileAnswer(file, request).then((answer) => sendRaw(reply, answer))
}

/** Who mistyped an address gets the console, which says so; what is asked by a script, a refusal that it can read. */
function noPage(files: ConsoleFiles, request: FastifyRequest, reply: FastifyReply): void {
  if (isNavigation(request))
    void fileAnswer(files.document, request).then((answer) => sendRaw(reply, { ...answer, status: 404 }))
  else sendRaw(reply, withHeaders(refusedWith('not_found', { message: 'There is no such page.' })))
}

function serveAdmin(
  parts: RouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  goOn: () => void,
): void {
  const { sessions, log } = parts.console
  const admin = parts.console.admin()
  const session = admin && sessionOf(request.raw, parts.console)
  if (admin === null || session === null) {
    goOn()
    return
  }
  parts.connections.admitted(request.socket)
  if (serveBackup(parts, request, reply, path, session)) return
  const home = path === HOME || path.startsWith(`${HOME}/`)
  const bytesMax = home ? BODY_BYTES_MAX : ADMIN_BODY_BYTES_MAX
  answerBody(request, reply, { bytesMax, log }, async (body) => {
    // It may have ended while the body arrived.
    const state = sessions.state(session)
    if (state === null) return withHeaders(refusedWith('unauthorized'))
    const answer = home
      ? await parts.dispatcher.answer(homeCall(request, path.slice(HOME.length), body, session))
      : await admin.answer(
          adminCall(request, path, body),
          byOf(session, parts.console, siteOfPage(request, parts.console.gateway)),
        )
    const kept = sessions.state(session)?.stored.ownDevice ?? state.stored.ownDevice
    const { gateway } = parts.console
    const isCurrent = kept === state.stored.ownDevice && !hasSharedCookie(request.headers.cookie, gateway)
    const told = isCurrent ? answer : withCookie(answer, request, { gateway, ownDevice: kept })
    return withHeaders(await zipped(told, request.headers['accept-encoding']?.toString()))
  })
}

/** Sets the cookie anew: it lasts as long as its session may, and its name holds the serial. */
function withCookie(
  answer: Answer,
  { headers }: FastifyRequest,
  { gateway, ownDevice }: { readonly gateway: string; readonly ownDevice: boolean },
): Answer {
  const secret = cookieOf(headers.cookie, gateway)
  if (secret === null) return answer
  return { ...answer, headers: { ...answer.headers, 'set-cookie': sessionCookie(gateway, secret, ownDevice) } }
}

/** Whether it is a backup's file that is asked for. */
function serveBackup(
  { console }: RouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  session: PersonSession,
): boolean {
  const name = request.method === 'GET' ? nameOfBackup(path) : null
  const downloads = console.downloads()
  if (name === null || downloads === null) return false
  const by = byOf(session, console, siteOfPage(request, console.gateway))
  void sendBackup(reply, name, { downloads, by, log: console.log })
  return true
}

function byOf(session: PersonSession, { sessions, passkeys, persons }: ConsoleParts, site: Site): AdminBy {
  const state = sessions.state(session)
  const person = state?.person ?? null
  return {
    cause: sessions.causeOf({ person: person?.id ?? null }),
    session,
    fresh: sessions.isFresh(session),
    isFirst: !persons.hasAccount,
    hasPassword: (person?.password ?? null) !== null,
    hasPasskey: passkeys.of(person?.id ?? null, site).length > 0,
    site,
    isOperator: false,
    holds: () => sessions.state(session) !== null,
  }
}

function adminCall(request: FastifyRequest, path: string, body: Body): Parameters<AdminDispatcher['answer']>[0] {
  return { method: methodOf(request), path, query: request.query as Record<string, string>, body }
}

function homeCall(
  request: FastifyRequest,
  path: string,
  body: Body,
  session: PersonSession,
): Parameters<Dispatcher['answer']>[0] {
  const { headers } = request
  return {
    ...adminCall(request, path, body),
    token: session,
    via: 'home',
    peer: peerOf(request),
    idempotencyKey: headers['idempotency-key']?.toString(),
    ifNoneMatch: headers['if-none-match'],
    acceptEncoding: headers['accept-encoding']?.toString(),
  }
}

/** Of an answer to HEAD Node sends no body. */
const methodOf = ({ method }: FastifyRequest): string => (method === 'HEAD' ? 'GET' : method)

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

/** docs/console.md#headers; `host` was checked to be one of the gateway's own. */
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
