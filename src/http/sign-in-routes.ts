import type { FastifyReply, FastifyRequest } from 'fastify'
import { NotServed, refusalAnswer, refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import type { RequestCounts } from '../api/request-counts.ts'
import { ERRORS } from '../wire/errors.ts'
import { enter, SIGN_IN_BYTES_MAX } from '../admin/console-entry.ts'
import { ownName, type PasskeySite, passkeySiteOf, ENTER, type Passkeys } from '../auth/persons/passkeys.ts'
import type { ConsoleSessions } from '../auth/persons/console-sessions.ts'
import type { SignIn } from '../auth/persons/sign-in.ts'
import { renewedPush } from '../admin/push.ts'
import type { WebPush } from '../home/messages/web-push.ts'
import type { Log } from '../lib/log.ts'
import { answerWithBody, withConsoleHeaders } from './console-answers.ts'
import { cookieOf, isFromOwnPage } from './console-session.ts'
import { peerOf, route, type Scope, send } from './reply.ts'

export interface SignInRouteParts {
  /** Serial of the gateway. */
  readonly gateway: string
  readonly signIn: SignIn
  readonly passkeys: Passkeys
  readonly sessions: Pick<ConsoleSessions, 'reasonOf'>
  /** True if `HM_SETUP_CODE` is set. Pages do not learn whether the code is still valid. */
  readonly takesSetupCode: boolean
  /** Replaces addresses of browsers that get messages. */
  readonly push: Pick<WebPush, 'renew'>
  readonly log: Log
}

interface RouteParts extends SignInRouteParts {
  readonly caFingerprint: () => string
  readonly counts: Pick<RequestCounts, 'turnedAway'>
}

const NO_PASSKEYS_AT_ADDRESS =
  'Passkeys work at a host name, not at an IP address: open the console at one of the gateway’s names.'

/** Site of a console page, from its validated Host header. */
export const siteOfPage = ({ headers }: Pick<FastifyRequest, 'headers'>, gateway: string): PasskeySite =>
  passkeySiteOf(headers.host ?? 'localhost', gateway)

/** Routes for pages before sign-in (docs/console.md#getting-in). Responses contain nothing about the home. */
export function registerSignInRoutes(scope: Scope, parts: RouteParts): void {
  const entry = (
    method: 'GET' | 'POST',
    url: string,
    answer: (request: FastifyRequest, reply: FastifyReply) => void,
  ): void => {
    route(scope, method, url, (request, reply) => {
      if (!refusedForeignPage(request, reply, parts.counts)) answer(request, reply)
    })
    const otherMethods = scope.supportedMethods.filter((other) => other !== method)
    route(scope, otherMethods, url, (_request, reply) => void send(reply, refusalAnswer(new NotServed([method]))))
  }
  entry('POST', '/session', (request, reply) => signIn(parts, request, reply))
  entry(
    'POST',
    '/challenge',
    (request, reply) => void send(reply, challenge(parts, siteOfPage(request, parts.gateway))),
  )
  entry('POST', '/push', (request, reply) =>
    answerWithBody(request, reply, { bytesMax: SIGN_IN_BYTES_MAX, log: parts.log }, (body) =>
      Promise.resolve(withConsoleHeaders(renewedPush(body, parts.push))),
    ),
  )
  entry('GET', '/about', (request, reply) => void send(reply, about(parts, parts.caFingerprint(), request)))
  entry('GET', '/ended', (request, reply) => void send(reply, json({ reason: endReason(parts, request) })))
}

/** Reason for the end of the session whose secrets the request has, or null. */
function endReason({ gateway, sessions }: SignInRouteParts, { headers }: FastifyRequest): string | null {
  const [cookie, half] = [cookieOf(headers.cookie, gateway), headers['x-hm-session']]
  return cookie === null || typeof half !== 'string' ? null : sessions.reasonOf(cookie, half)
}

/**
 * Refuses and counts a request from a page of another origin, which could sign people in as somebody else. True if it
 * did.
 */
function refusedForeignPage(request: FastifyRequest, reply: FastifyReply, counts: RouteParts['counts']): boolean {
  if (isFromOwnPage(request.headers, request.method === 'GET')) return false
  counts.turnedAway('origin_not_allowed', {}, ERRORS.origin_not_allowed.status)
  send(reply, refusedWith('origin_not_allowed'))
  return true
}

function signIn({ gateway, signIn, log }: SignInRouteParts, request: FastifyRequest, reply: FastifyReply): void {
  const from = {
    gateway,
    browser: request.headers['user-agent'] ?? '',
    peer: peerOf(request),
    site: siteOfPage(request, gateway),
  }
  answerWithBody(request, reply, { bytesMax: SIGN_IN_BYTES_MAX, log }, (body) => enter(body, from, signIn))
}

/** Passkey request options, the same whether or not any passkey exists. */
function challenge({ passkeys }: SignInRouteParts, site: PasskeySite): Answer {
  const options = passkeys.request(site, ENTER)
  return options === null ? refusedWith('validation', { message: NO_PASSKEYS_AT_ADDRESS }) : json({ options })
}

function about({ gateway, takesSetupCode }: SignInRouteParts, fingerprint: string, request: FastifyRequest): Answer {
  return json({
    gateway,
    name: ownName(gateway),
    fingerprint,
    setupCode: takesSetupCode,
    passkeys: siteOfPage(request, gateway).name !== null,
  })
}

function json(content: object): Answer {
  return withConsoleHeaders({
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(content),
  })
}
