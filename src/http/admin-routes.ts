import { BACKUP_FILE_PATH } from '../admin/contract/backups.ts'
import { adminContract } from '../admin/contract/index.ts'
import type { AdminCaller, AdminDispatcher } from '../admin/dispatch.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refusedWith } from '../api/answers.ts'
import type { ApiCaller } from '../api/admission.ts'
import { type Answer, type Body, BODY_BYTES_MAX } from '../api/call.ts'
import { sessionCookie } from '../admin/console-entry.ts'
import type { Dispatcher } from '../api/dispatch.ts'
import { routesOf } from '../api/router.ts'
import type { PersonSession } from '../auth/persons/console-sessions.ts'
import { recordIdOf, type ValidSession } from '../auth/persons/console-session.ts'
import type { Clock } from '../lib/clock.ts'
import { isUpgraded } from '../lib/request-head.ts'
import { ADMIN_BODY_BYTES_MAX } from './admin-server.ts'
import { backupNameIn, sendBackup } from './backup-download.ts'
import type { Connections } from './connections.ts'
import { answerWithBody, withConsoleHeaders } from './console-answers.ts'
import { siteOfPage } from './sign-in-routes.ts'
import { type ConsoleParts, isPeerAllowed } from './console-pages.ts'
import { cookieOf, lacksOwnCookie, sessionOf } from './console-session.ts'
import { registerConsoleStream } from './console-stream.ts'
import { type OperatorParts, operatorHandler } from './operator-requests.ts'
import { peerOf, route, type Scope, send } from './reply.ts'
import { headOf, notServed, pathOf } from './service-routes.ts'
import type { LiveStream } from '../transport/live-stream.ts'
import { zipped } from './zipped-answer.ts'

export interface AdminRouteParts {
  /** Null if the console is off. */
  readonly console: ConsoleParts | null
  readonly operators: OperatorParts
  readonly dispatcher: Dispatcher
  readonly stream: LiveStream
  readonly connections: Connections
  readonly clock: Clock
}

export const ADMIN = '/admin'
/** Prefix of the service's API for people: `/admin/home/v1/house` is an administrator's or a member's `/v1/house`. */
const OWNER_API = '/admin/home'

/**
 * The administrators' endpoints, for operator tokens and sessions of persons. All others get the response of a path
 * that does not exist (docs/console.md#invisible). So do members, except for what is declared for them.
 */
export function registerAdminRoutes(scope: Scope, parts: AdminRouteParts): void {
  const { dispatcher, connections, console } = parts
  const serveOperator = operatorHandler(parts)
  const answer = (request: FastifyRequest, reply: FastifyReply): void => {
    const path = pathOf(request.originalUrl)
    // The path is compared as the client sent it, so an encoded prefix is not found. A relay gives no access to
    // administration.
    const isAdministration = path.startsWith(`${ADMIN}/`) && connections.viaOf(request.socket) === 'home'
    if (isAdministration && (serveOperator(request, reply, path) || servePerson(parts, request, reply, path))) return
    send(reply, notServed(dispatcher, request.raw, connections))
  }
  for (const { method, path, target } of routesOf(adminContract, []))
    if (target !== null) route(scope, method === 'GET' ? ['GET', 'HEAD'] : method, withinPrefix(path), answer)
  route(scope, ['GET', 'HEAD'], withinPrefix(BACKUP_FILE_PATH.replace('{name}', ':name')), answer)
  route(scope, scope.supportedMethods, '/*', answer)
  if (console) registerConsoleStream(scope, { ...parts, console, otherwise: answer })
}

/** Path of a route without the prefix of its scope. */
const withinPrefix = (path: string): string => path.slice(ADMIN.length)

/** Answers a request of a person's session; false if the request has none. */
function servePerson(parts: AdminRouteParts, request: FastifyRequest, reply: FastifyReply, path: string): boolean {
  const { console } = parts
  if (console === null || !isPeerAllowed(console.reach, peerOf(request)) || isUpgraded(request.raw)) return false
  const { sessions, log } = console
  const admin = console.admin()
  const session = admin && sessionOf(request.raw, console)
  if (admin === null || session === null) return false
  parts.connections.markAdmitted(request.socket)
  const caller = (): AdminCaller => adminCaller(session, parts, console, request)
  const isMember = hasRecord(sessions.state(session))
  if (!isMember && serveBackup(console, request, reply, path, caller())) return true
  const isOwnerApi = path === OWNER_API || path.startsWith(`${OWNER_API}/`)
  const bytesMax = isOwnerApi || isMember ? BODY_BYTES_MAX : ADMIN_BODY_BYTES_MAX
  answerWithBody(request, reply, { bytesMax, log }, async (body) => {
    // The session may have ended while the body arrived.
    const state = sessions.state(session)
    if (state === null) return withConsoleHeaders(refusedWith('unauthorized'))
    // Pages read by themselves, also while nobody looks at them.
    if (methodOf(request) !== 'GET') console.used(session, peerOf(request))
    const answer = isOwnerApi
      ? await parts.dispatcher.answer({
          ...headOf(request.raw, parts.connections),
          ...adminCall(request, path.slice(OWNER_API.length), body),
          token: session,
        })
      : await admin.answer(adminCall(request, path, body), caller())
    const ownDevice = sessions.state(session)?.stored.ownDevice ?? state.stored.ownDevice
    const { gateway } = console
    const isCurrent = ownDevice === state.stored.ownDevice && !lacksOwnCookie(request.headers.cookie, gateway)
    const withCurrentCookie = isCurrent ? answer : withCookie(answer, request, { gateway, ownDevice })
    return withConsoleHeaders(await zipped(withCurrentCookie, request.headers['accept-encoding']?.toString()))
  })
  return true
}

/** Sets the cookie again, so that it expires with its session and has the serial in its name. */
function withCookie(
  answer: Answer,
  { headers }: FastifyRequest,
  { gateway, ownDevice }: { readonly gateway: string; readonly ownDevice: boolean },
): Answer {
  const secret = cookieOf(headers.cookie, gateway)
  if (secret === null) return answer
  return { ...answer, headers: { ...answer.headers, 'set-cookie': sessionCookie(gateway, secret, ownDevice) } }
}

/** Answers a request for a backup file; false for every other path. */
function serveBackup(
  console: ConsoleParts,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  by: AdminCaller,
): boolean {
  const name = request.method === 'GET' ? backupNameIn(path) : null
  const downloads = console.downloads()
  if (name === null || downloads === null) return false
  void sendBackup(reply, name, { downloads, by, log: console.log })
  return true
}

/** The signed-in person, for handlers of the administrators' API. */
function adminCaller(
  session: PersonSession,
  { dispatcher, connections }: Pick<AdminRouteParts, 'dispatcher' | 'connections'>,
  { sessions, passkeys, persons, gateway }: ConsoleParts,
  request: FastifyRequest,
): AdminCaller {
  const state = sessions.state(session)
  const person = state?.person ?? null
  const site = siteOfPage(request, gateway)
  const home = (): ApiCaller => dispatcher.identify(session, headOf(request.raw, connections))
  return {
    cause: sessions.causeOf(state?.stored ?? { person: null }),
    member: hasRecord(state) ? { person: person?.id ?? null, home } : null,
    session,
    fresh: sessions.isFresh(session),
    isFirst: !hasRecord(state) && !persons.hasAccount,
    hasPassword: (person?.password ?? null) !== null,
    hasPasskey: passkeys.of(person?.id ?? null, site).length > 0,
    site,
    isOperator: false,
    holds: () => sessions.state(session) !== null,
  }
}

const hasRecord = (state: ValidSession | null): boolean => state !== null && recordIdOf(state) !== null

function adminCall(request: FastifyRequest, path: string, body: Body): Parameters<AdminDispatcher['answer']>[0] {
  return { method: methodOf(request), path, query: request.query as Record<string, string>, body }
}

/** Node omits the body of a response to HEAD. */
const methodOf = ({ method }: FastifyRequest): string => (method === 'HEAD' ? 'GET' : method)
