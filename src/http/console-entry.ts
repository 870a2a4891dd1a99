import type { FastifyReply, FastifyRequest } from 'fastify'
import { NotServed, refusalAnswer, refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import type { RequestCounts } from '../api/request-counts.ts'
import { ERRORS } from '../wire/errors.ts'
import { enter, SIGN_IN_BYTES_MAX } from '../admin/console-entry.ts'
import { ownName, type Site, siteOf, ENTER, type Passkeys } from '../auth/persons/passkeys.ts'
import type { ConsoleSessions } from '../auth/persons/console-sessions.ts'
import type { SignIn } from '../auth/persons/sign-in.ts'
import type { Log } from '../lib/log.ts'
import { answerBody, withHeaders } from './console-answers.ts'
import { cookieOf, isFromOwnPage } from './console-session.ts'
import { peerOf, route, type Scope, send } from './reply.ts'

export interface EntryParts {
  readonly gateway: string
  readonly signIn: SignIn
  readonly passkeys: Passkeys
  readonly sessions: Pick<ConsoleSessions, 'reasonOf'>
  /** Whether `HM_SETUP_CODE` is set; whether it still opens is told to nobody. */
  readonly takesSetupCode: boolean
  readonly log: Log
}

/** Parts of the entry's routes. */
interface EntryUse extends EntryParts {
  readonly caFingerprint: () => string
  readonly counts: Pick<RequestCounts, 'turnedAway'>
}

const NOT_AT_ADDRESS =
  'Passkeys work at a host name, not at an IP address: open the console at one of the gateway’s names.'

/** Where a page of the console is shown; its Host was checked to be one of the gateway's own. */
export const siteOfPage = ({ headers }: Pick<FastifyRequest, 'headers'>, gateway: string): Site =>
  siteOf(headers.host ?? 'localhost', gateway)

/** Calls of the pages before a person signs in (docs/console.md#getting-in). Answers contain nothing about the home. */
export function consoleEntry(scope: Scope, parts: EntryUse): void {
  const entry = (
    method: 'GET' | 'POST',
    url: string,
    answer: (request: FastifyRequest, reply: FastifyReply) => void,
  ): void => {
    route(scope, method, url, (request, reply) => {
      if (isOwn(request, reply, parts.counts)) answer(request, reply)
    })
    const others = scope.supportedMethods.filter((other) => other !== method)
    route(scope, others, url, (_request, reply) => void send(reply, refusalAnswer(new NotServed([method]))))
  }
  entry('POST', '/session', (request, reply) => signIn(parts, request, reply))
  entry(
    'POST',
    '/challenge',
    (request, reply) => void send(reply, challenge(parts, siteOfPage(request, parts.gateway))),
  )
  entry('GET', '/about', (request, reply) => void send(reply, about(parts, parts.caFingerprint(), request)))
  entry('GET', '/ended', (request, reply) => void send(reply, json({ reason: reasonOfEnd(parts, request) })))
}

/** Why a session ended, for the browser that shows both its secrets; null for anybody else. */
function reasonOfEnd({ gateway, sessions }: EntryParts, { headers }: FastifyRequest): string | null {
  const [cookie, half] = [cookieOf(headers.cookie, gateway), headers['x-hm-session']]
  return cookie === null || typeof half !== 'string' ? null : sessions.reasonOf(cookie, half)
}

/** Only the console's own page may sign somebody in, or a page elsewhere could sign people in as somebody else. */
function isOwn(request: FastifyRequest, reply: FastifyReply, counts: EntryUse['counts']): boolean {
  if (isFromOwnPage(request.headers, request.method === 'GET')) return true
  counts.turnedAway('origin_not_allowed', {}, ERRORS.origin_not_allowed.status)
  send(reply, refusedWith('origin_not_allowed'))
  return false
}

function signIn({ gateway, signIn, log }: EntryParts, request: FastifyRequest, reply: FastifyReply): void {
  const from = {
    gateway,
    browser: request.headers['user-agent'] ?? '',
    peer: peerOf(request),
    site: siteOfPage(request, gateway),
  }
  answerBody(request, reply, { bytesMax: SIGN_IN_BYTES_MAX, log }, (body) => enter(body, from, signIn))
}

/** What the browser takes to show a passkey: the same for everybody, whether there is one or not. */
function challenge({ passkeys }: EntryParts, site: Site): Answer {
  const options = passkeys.request(site, ENTER)
  return options === null ? refusedWith('validation', { message: NOT_AT_ADDRESS }) : json({ options })
}

function about({ gateway, takesSetupCode }: EntryParts, fingerprint: string, request: FastifyRequest): Answer {
  return json({
    gateway,
    name: ownName(gateway),
    fingerprint,
    setupCode: takesSetupCode,
    passkeys: siteOfPage(request, gateway).name !== null,
  })
}

function json(content: object): Answer {
  return withHeaders({
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(content),
  })
}
