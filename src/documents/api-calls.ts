import { keysOf } from '../lib/keys-of.ts'
import { adminContract } from '../admin/contract/index.ts'
import {
  type Endpoint,
  type Gate,
  isRuleKind,
  isWrite,
  type Method,
  type RefusedCall,
} from '../api/contract/endpoint.ts'
import { type ErrorCode, ERRORS } from '../wire/errors.ts'
import { contract } from '../api/contract/index.ts'
import { refusedCalls } from '../api/contract/refused.ts'

/** A call of the service for the documents: its declaration with the refusals of the pipeline. */
export interface ApiCall {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly description: string | null
  readonly tag: string
  /** Description of the `{id}` in the path. */
  readonly idMeans: string
  /** Null for a call that is always refused. */
  readonly endpoint: Endpoint | null
  readonly open: boolean
  /** True for the administrators' API, whose responses have no `house`. */
  readonly administrative: boolean
  readonly errors: readonly ErrorCode[]
}

/** Refusals before the credential is checked, and for defects. */
export const BEFORE_CREDENTIAL = [
  'misdirected_request',
  'origin_not_allowed',
  'internal',
  'safe_mode',
] as const satisfies readonly ErrorCode[]
/** Refusals of the relay for a gateway that it cannot reach (docs/decisions/refusals.md#codes). */
export const AT_THE_RELAY = [
  'gateway_offline',
  'gateway_timeout',
  'relay_unavailable',
] as const satisfies readonly ErrorCode[]
/** Refusals of the pipeline for every credential; the disk with the knobs may fail. */
export const WITH_CREDENTIAL = [
  'unauthorized',
  'session_expired',
  'record_disabled',
  'agent_access_disabled',
  'cloud_access_disabled',
  'rate_limited',
  'storage_unavailable',
] as const satisfies readonly ErrorCode[]
/** Refusals of every administrators' request. */
export const ADMIN_USUAL = [
  'validation',
  'internal',
  'storage_unavailable',
  'safe_mode',
] as const satisfies readonly ErrorCode[]
/** Refusals of bodies and queries, which may be sent even to operations without one. */
const OF_CONTENT = ['validation', 'payload_too_large', 'unsupported_media_type'] as const satisfies readonly ErrorCode[]

/** Group of the calls that are always refused, to separate them from working calls. */
export const REFUSED_TAG = 'refused'

/** All operations of the contract, their aliases, and the calls that are always refused. */
export function operations(): readonly ApiCall[] {
  const served = Object.entries<Endpoint & { readonly spec: string }>(contract).flatMap(([name, endpoint]) =>
    [endpoint.method, ...(endpoint.aliases ?? [])].map((method): ApiCall => ({
      id: method === endpoint.method ? name : `${name}.${method.toLowerCase()}`,
      method,
      path: endpoint.path,
      summary: endpoint.summary,
      description: `Specification: ${endpoint.spec}.${gateSentence(endpoint.gate)}`,
      endpoint,
      open: endpoint.reach === 'open',
      ...publicParts(endpoint.path),
      errors: errorsOf(endpoint),
    })),
  )
  return [...served, ...refusedCalls.map(refusedOperation)]
}

function publicParts(path: string): Pick<ApiCall, 'tag' | 'idMeans' | 'administrative'> {
  return {
    tag: path.split('/')[2] ?? '',
    idMeans: 'An id from GET /v1/house; its colons may be percent-encoded.',
    administrative: false,
  }
}

function gateSentence(gate: Gate | undefined): string {
  return gate ? ` Needs ${gate.knob}: ${gate.anyOf.join(' or ')}.` : ''
}

/** All operations of the administrators' API. */
export function adminOperations(): readonly ApiCall[] {
  return Object.entries<Endpoint>(adminContract).map(([name, endpoint]) => ({
    id: name,
    method: endpoint.method,
    path: endpoint.path,
    summary: endpoint.summary,
    description: null,
    tag: endpoint.path.split('/')[3] ?? '',
    idMeans: 'The id from the lists.',
    endpoint,
    open: false,
    administrative: true,
    errors: codes([
      ...ADMIN_USUAL,
      ...(endpoint.body ? OF_CONTENT : []),
      ...(endpoint.stepUp ? (['sign_in_again'] as const) : []),
      ...endpoint.errors,
    ]),
  }))
}

function errorsOf(endpoint: Endpoint): readonly ErrorCode[] {
  // The relay itself answers requests that are the same for every gateway, and the gateway's own TLS is not served
  // through it.
  const isOwnAnswer = (endpoint.reach === 'open' && endpoint.method === 'GET') || endpoint.reach === 'home'
  const relay = isOwnAnswer ? [] : AT_THE_RELAY
  if (endpoint.reach === 'open')
    return codes([
      ...BEFORE_CREDENTIAL,
      ...relay,
      'rate_limited',
      ...(endpoint.body ? [...OF_CONTENT, 'storage_unavailable' as const] : (['validation'] as const)),
      ...endpoint.errors,
    ])
  return codes([
    ...BEFORE_CREDENTIAL,
    ...relay,
    ...WITH_CREDENTIAL,
    ...OF_CONTENT,
    ...(isWrite(endpoint) ? ['outcome_unknown' as const] : []),
    ...endpoint.errors,
  ])
}

function refusedOperation(call: RefusedCall): ApiCall {
  const lookedUp: readonly ErrorCode[] = call.subject === 'none' || isRuleKind(call.subject) ? [] : ['not_found']
  return {
    id: `${call.method.toLowerCase()}${call.path.replace('/v1', '').replace(/[{}]/g, '').replaceAll('/', '.')}`,
    method: call.method,
    path: call.path,
    summary: call.summary,
    description: `Specification: ${call.spec}.`,
    endpoint: null,
    open: false,
    ...publicParts(call.path),
    tag: REFUSED_TAG,
    errors: codes([
      ...BEFORE_CREDENTIAL,
      ...AT_THE_RELAY,
      ...WITH_CREDENTIAL,
      ...lookedUp,
      ...(call.gate ? [call.gate.else] : []),
      call.code,
    ]),
  }
}

/** Distinct codes in the order of the table of errors. */
function codes(list: readonly ErrorCode[]): readonly ErrorCode[] {
  const listed = new Set(list)
  return keysOf(ERRORS).filter((code) => listed.has(code))
}

/** Codes of an operation by status, in ascending order. */
export function byStatus(list: readonly ErrorCode[]): readonly (readonly [number, readonly ErrorCode[]])[] {
  return [...Map.groupBy(list, (code) => ERRORS[code].status)].toSorted(([a], [b]) => a - b)
}

/** Type name of an operation id: `devices.control` becomes `DevicesControl`. */
export function typeName(id: string): string {
  return id
    .split(/[._-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
