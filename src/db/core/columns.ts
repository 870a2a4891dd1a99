import type { TokenAudience, HostedClient } from '../../auth/credentials/credentials.ts'
import type { Cause } from '../../home/model/events.ts'
import type { Origin } from '../../home/model/house.ts'
import { type Db, readCell } from '../database.ts'

/** A store of some tables in core.db. */
export class CoreStore {
  protected readonly db: Db

  constructor(core: { readonly db: Db }) {
    this.db = core.db
  }
}

/** Maps the columns of a table to fields: the column `created_at` is the field `createdAt`. */
export class Columns {
  /** The column list of a SELECT. */
  readonly fields: string
  /** The end of an INSERT, with named parameters. */
  readonly values: string

  constructor(...columns: readonly string[]) {
    this.fields = columns.map((column) => `${column} AS ${fieldOf(column)}`).join(', ')
    this.values = `(${columns.join(', ')}) VALUES (${columns.map((column) => `@${fieldOf(column)}`).join(', ')})`
  }
}

const fieldOf = (column: string): string => column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Columns of a hosted platform's client; null for every other agent. */
export const HOSTED_COLUMNS = ['hosted_client', 'redirect_host', 'door', 'account'] as const

export interface HostedRow {
  readonly hostedClient: string | null
  readonly redirectHost: string | null
  readonly door: TokenAudience | null
  readonly account: string | null
}

export function hostedValues(hosted: HostedClient | null): HostedRow {
  const { client: hostedClient = null, redirectHost = null, audience: door = null, account = null } = hosted ?? {}
  return { hostedClient, redirectHost, door, account }
}

export function hostedOf({ hostedClient: client, redirectHost, door, account }: HostedRow): HostedClient | null {
  if (client === null || redirectHost === null || door === null || account === null) return null
  return { client, redirectHost, audience: door, account }
}

/** Columns of an administrator's decision; null while pending. */
export const DECISION_COLUMNS = ['decided_by', 'steady_decided_at'] as const

export interface DecisionRow {
  readonly decidedBy: string | null
  readonly steadyDecidedAt: number | null
}

interface StoredDecision {
  /** Steady time in ms. */
  readonly steadyAt: number
  readonly by: Cause
}

export function decisionValues(decision: StoredDecision | null): DecisionRow {
  return { decidedBy: decision && JSON.stringify(decision.by), steadyDecidedAt: decision && decision.steadyAt }
}

export function decisionOf({ decidedBy, steadyDecidedAt }: DecisionRow): StoredDecision | null {
  if (decidedBy === null || steadyDecidedAt === null) return null
  const by = readCell<Cause | null>(decidedBy, null)
  return by === null ? null : { steadyAt: steadyDecidedAt, by }
}

/** Columns of the creator of a scene or rule, and of the last author of its steps; null for administrators. */
export const AUTHOR_COLUMNS = ['origin_integration', 'origin_link', 'author_integration', 'author_link'] as const

export interface AuthorRow {
  readonly originIntegration: string | null
  readonly originLink: string | null
  readonly authorIntegration: string | null
  readonly authorLink: string | null
}

interface Authored {
  readonly origin: Origin | null
  readonly author: Origin | null
}

export function authorValues({ origin, author }: Authored): AuthorRow {
  return {
    originIntegration: origin?.integration ?? null,
    originLink: origin?.link ?? null,
    authorIntegration: author?.integration ?? null,
    authorLink: author?.link ?? null,
  }
}

export function authorsOf({ originIntegration, originLink, authorIntegration, authorLink }: AuthorRow): Authored {
  const of = (integration: string | null, link: string | null): Origin | null =>
    integration === null ? null : { integration, link: link ?? '' }
  return { origin: of(originIntegration, originLink), author: of(authorIntegration, authorLink) }
}
