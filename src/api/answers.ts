import { hash } from 'node:crypto'
import { StorageUnavailable } from '../home/ports/activity-log.ts'
import type { ExposedHouse } from '../exposure/exposed-house.ts'
import { acceptsGzip } from '../lib/gzipped.ts'
import { bearerChallenge } from '../lib/request-head.ts'
import { isStorageFailure } from '../lib/storage-failure.ts'
import type { Answer, CallHead } from './call.ts'
import type { Endpoint } from './contract/endpoint.ts'
import { Refusal } from './errors.ts'
import { type ErrorCode, ERRORS, errorBody, type RefusalDetails } from '../wire/errors.ts'
import { isCreated, isLiteral, isPrebuilt, isPrebuiltText, type Prebuilt, type PrebuiltText } from './handler.ts'

/** Length of an ETag computed by hashing: 132 bits. */
const TAG_LENGTH = 22

/** Suffix of the ETag of a gzip encoding. */
const GZIP_SUFFIX = '-gzip"'

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' } as const

/** Responses without a credential may hold a secret, so no cache may store them. */
const OPEN_HEADERS = { ...JSON_HEADERS, 'cache-control': 'no-store' } as const

/** Seconds until a client may repeat a write that the disk did not take. */
const STORAGE_RETRY_S = 30

const UNREADABLE = 'The gateway cannot look this up right now: its disk fails. Wait and try again.'

const ANY_OF = new Intl.ListFormat('en', { type: 'disjunction' })

/** Maps a thrown error to its refusal; null for a defect. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error
  if (error instanceof StorageUnavailable) return new Refusal('storage_unavailable', { retryAfter: STORAGE_RETRY_S })
  return isStorageFailure(error)
    ? new Refusal('storage_unavailable', { message: UNREADABLE, retryAfter: STORAGE_RETRY_S })
    : null
}

/**
 * Refusal for an unknown path, or for a method that the path does not take. `allow` lists the methods that it takes.
 */
export class NotServed extends Refusal {
  readonly allow: readonly string[]

  constructor(allow: readonly string[]) {
    if (allow.length > 0) super('method_not_allowed', { message: notTaken(allow) })
    else super('not_found', { message: 'There is no such path. GET /v1/about says where the documents are.' })
    this.allow = allow
  }
}

/** Message for a method that the path does not take. HEAD is left out: it goes with GET, and the stream has none. */
function notTaken(allow: readonly string[]): string {
  const methods = allow.filter((method) => method !== 'HEAD')
  return `This path does not take this method; it takes ${ANY_OF.format(methods)}.`
}

/** Response to a defect; the log has it under this reference (docs/decisions/refusals.md#codes). */
export function defectAnswer(message: string, reference: string): Answer {
  const answer = refusedWith('internal', { message })
  return { ...answer, headers: { ...answer.headers, 'x-request-id': reference } }
}

/** Response with an error code. */
export function refusedWith(code: ErrorCode, details?: RefusalDetails): Answer {
  return refusalAnswer(new Refusal(code, details))
}

/**
 * Response for a refusal. HTTP clients also get `retryAfter`, the methods of a path and the authentication scheme as
 * headers (docs/decisions/refusals.md#codes).
 *
 * @param from the request's token, and the caller's names for fields
 */
export function refusalAnswer(refusal: Refusal, from: Partial<Pick<CallHead, 'token' | 'naming'>> = {}): Answer {
  const { retryAfter } = refusal.details
  const isElsewhere = refusal instanceof NotServed && refusal.allow.length > 0
  const { status } = ERRORS[refusal.code]
  return {
    status,
    headers: {
      ...JSON_HEADERS,
      ...(status === 401 ? { 'www-authenticate': bearerChallenge(from.token) } : {}),
      ...(isElsewhere ? { allow: refusal.allow.join(', ') } : {}),
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: JSON.stringify(errorBody(refusal.code, refusal.details, from.naming)),
  }
}

/** Serialises a handler's answer with the home's name. `ifNoneMatch` names the version that the client already has. */
export function answerOf(
  declared: Endpoint,
  content: unknown,
  view: ExposedHouse,
  { ifNoneMatch, acceptEncoding }: Pick<CallHead, 'ifNoneMatch' | 'acceptEncoding'>,
): Answer | Promise<Answer> {
  const headers = JSON_HEADERS
  if (isPrebuilt(content)) return prebuiltAnswer(content, ifNoneMatch, acceptEncoding)
  if (isPrebuiltText(content)) return textAnswer(content, ifNoneMatch)
  const [fields, extra] = isCreated(content) ? [content.created, { location: content.location }] : [content, {}]
  const body = JSON.stringify({ house: view.name, ...(fields as object) })
  if (declared.tagged) return taggedAnswer(body, tagOf(body), ifNoneMatch)
  return { status: declared.status ?? 200, headers: { ...headers, ...extra }, body, bytes: Buffer.byteLength(body) }
}

function textAnswer({ text: body, bytes, etag }: PrebuiltText, ifNoneMatch: string | undefined): Answer {
  if (etag === undefined) return { status: 200, headers: JSON_HEADERS, body, bytes }
  const headers = { ...JSON_HEADERS, etag, 'cache-control': 'private, no-cache' }
  return names(ifNoneMatch, etag) ? { status: 304, headers, body: null } : { status: 200, headers, body, bytes }
}

/** Response from stored bytes, as gzip if the client accepts it; each encoding has its own ETag. */
function prebuiltAnswer(
  { prebuilt, etag, gzipped, items }: Prebuilt,
  ifNoneMatch: string | undefined,
  acceptEncoding: string | undefined,
): Answer | Promise<Answer> {
  if (!gzipped) return taggedAnswer(prebuilt, etag, ifNoneMatch)
  const gzip = acceptsGzip(acceptEncoding) ? gzipped.gzip() : null
  const gzipTag = `${etag.slice(0, -1)}${GZIP_SUFFIX}`
  const own = gzip === null ? etag : gzipTag
  const headers = { ...JSON_HEADERS, etag: own, 'cache-control': 'private, no-cache', vary: 'Accept-Encoding' }
  if (names(ifNoneMatch, etag) || names(ifNoneMatch, gzipTag)) return { status: 304, headers, body: null }
  if (gzip === null) return { status: 200, headers, body: prebuilt, ...(items && { items }) }
  const encoded = { ...headers, 'content-encoding': 'gzip' }
  return gzip instanceof Promise
    ? gzip.then((body) => ({ status: 200, headers: encoded, body }))
    : { status: 200, headers: encoded, body: gzip }
}

function taggedAnswer(body: Buffer | string, etag: string, ifNoneMatch: string | undefined): Answer {
  const headers = { ...JSON_HEADERS, etag, 'cache-control': 'private, no-cache' }
  return names(ifNoneMatch, etag) ? { status: 304, headers, body: null } : { status: 200, headers, body }
}

/** ETag of an answer made for one request, computed from its bytes alone. */
export function tagOf(body: Buffer | string): string {
  return `"${hash('sha256', body, 'base64url').slice(0, TAG_LENGTH)}"`
}

const ENTITY_TAG = /"[^"]*"/g
/** A list of entity tags, in which elements may be empty (RFC 9110 sections 5.6.1 and 8.8.3). */
const ENTITY_TAGS = /^[ \t]*(?:(?:W\/)?"[!#-~\x80-\xff]*"[ \t]*)?(?:,[ \t]*(?:(?:W\/)?"[!#-~\x80-\xff]*"[ \t]*)?)*$/

/**
 * True if `If-None-Match` names this ETag: by itself, weakened by a proxy, in a list, or by `*` (RFC 9110 section
 * 13.1.2). A malformed header matches nothing.
 */
function names(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch === etag) return ifNoneMatch === etag
  if (ifNoneMatch.trim() === '*') return true
  return ENTITY_TAGS.test(ifNoneMatch) && ifNoneMatch.match(ENTITY_TAG)?.includes(etag) === true
}

/**
 * Serialises the answer of an open endpoint. The home's name is left out, because the caller has shown no credential.
 */
export function openAnswerOf(content: unknown): Answer {
  if (typeof content === 'string')
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: content }
  const [status, fields] = isLiteral(content) ? [content.status, content.literal] : [200, content]
  return { status, headers: OPEN_HEADERS, body: JSON.stringify(fields) }
}
