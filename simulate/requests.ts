import { adminContract } from '../src/admin/contract/index.ts'
import { contract } from '../src/api/contract/index.ts'
import { adminOperations, operations } from '../src/api/documents/operations.ts'
import type { Endpoint } from '../src/api/endpoint.ts'

export type ServiceCall = keyof typeof contract
export type AdminCall = keyof typeof adminContract

/** A request by the name of its endpoint. */
export interface Request {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly key: string | undefined
}

export interface Asked {
  /** What the path names. */
  readonly id?: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Idempotency-Key. */
  readonly key?: string
}

export function serviceRequest(name: ServiceCall, asked: Asked = {}): Request {
  return requestOf(name, contract[name], asked)
}

export function adminRequest(name: AdminCall, asked: Asked = {}): Request {
  return requestOf(name, adminContract[name], asked)
}

function requestOf(name: string, { method, path }: Endpoint, { id, params, query = {}, body, key }: Asked): Request {
  const named: Readonly<Record<string, string>> = { ...params, ...(id === undefined ? {} : { id }) }
  const filled = path.replace(/\{(\w+)\}/g, (_, one: string) => encodeURIComponent(named[one] ?? ''))
  return { name, method, path: filled, query, body, key }
}

const DECLARED = new Map(
  [...operations(), ...adminOperations()].map(({ id, administrative, errors }) => [
    `${administrative ? 'admin ' : ''}${id}`,
    new Set<string>(errors),
  ]),
)

/** Codes that an endpoint may refuse with. A defect is declared as well, and never expected. */
export function declaredCodes(name: string, administrative: boolean): ReadonlySet<string> {
  return DECLARED.get(`${administrative ? 'admin ' : ''}${name}`) ?? new Set()
}
