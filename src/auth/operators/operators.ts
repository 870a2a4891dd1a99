import type { AccessChange } from '../../exposure/access-change.ts'
import type { Cause } from '../../home/model/events.ts'
import type { UnitOfWork } from '../../home/ports/activity-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Emitter } from '../../lib/emitter.ts'
import { type Random, randomId } from '../../lib/random.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { administrationEntry, type Revocation, revocationOf } from '../credentials/pending-revocations.ts'
import { LINK_LENGTH, hashSecret, isSecretOf, newSecret } from '../credentials/credentials.ts'
import { OWNER_CHANGED } from '../persons/person.ts'
import { nullIfDiskFails } from '../../lib/storage-failure.ts'

/** Permissions of operator tokens, for monitoring and backup programs; they give no access to the home. */
export const OPERATOR_SCOPES = ['metrics', 'backup'] as const
export type OperatorScope = (typeof OPERATOR_SCOPES)[number]

/** A stored operator token; only the hash of its secret is stored. */
export interface Operator {
  readonly id: string
  readonly name: string
  readonly scopes: readonly OperatorScope[]
  readonly secretSha256: Buffer
  /** Epoch ms. */
  readonly createdAt: number
  /** Epoch ms, to the hour; null: not used yet. */
  readonly usedAt: number | null
}

/** Most operator tokens of one gateway. */
export const OPERATORS_MAX = 20

/** Reads are as fresh as the last commit; writes run inside `UnitOfWork.change`. */
export interface OperatorStore {
  get(id: string): Operator | undefined
  list(): readonly Operator[]
  insert(operator: Operator): void
  used(id: string, at: number): void
  remove(id: string): void
  /** Treats these as removed although they are still stored; runs outside a change. */
  hold(ids: readonly string[]): void
}

/** The parts of an operator's token. */
interface OperatorToken {
  readonly gateway: string
  readonly id: string
  /** 32 random bytes as base64url. */
  readonly secret: string
}

const TOKEN = /^hm_op_([a-z0-9]{12})\.([a-z0-9]{10})\.([A-Za-z0-9_-]{43})$/

/** Parses `hm_op_{gateway}.{id}.{secret}`, or returns null. */
function parseOperatorToken(text: string): OperatorToken | null {
  const match = TOKEN.exec(text)
  if (!match) return null
  const [, gateway = '', id = '', secret = ''] = match
  return { gateway, id, secret }
}

const formatOperatorToken = ({ gateway, id, secret }: OperatorToken): string => `hm_op_${gateway}.${id}.${secret}`

/** Interval of storing uses, because programs may call every few seconds. */
const USE_WRITTEN_MS = 60 * 60_000

interface OperatorsParts {
  /** The gateway's serial, which is part of its tokens. */
  readonly gateway: string
  readonly operators: OperatorStore
  readonly work: UnitOfWork
  readonly clock: Clock
  readonly random: Random
  readonly changes: Pick<Emitter<AccessChange>, 'emit'>
  /** Receives the ids of ended tokens before the response is sent. */
  readonly ended: (ids: readonly string[]) => void
}

/** Operator tokens (docs/operations.md#tokens): creating, listing, ending and checking them. */
export class Operators {
  readonly #parts: OperatorsParts

  constructor(parts: OperatorsParts) {
    this.#parts = parts
  }

  list(): readonly Operator[] {
    return this.#parts.operators.list()
  }

  /** Creates a token and returns its only copy. The error is one sentence. */
  create(
    { name, scopes }: Pick<Operator, 'name' | 'scopes'>,
    cause: Cause,
  ): Result<{ readonly token: string; readonly operator: Operator }, string> {
    const { operators, random, clock, gateway, work } = this.#parts
    if (operators.list().length >= OPERATORS_MAX)
      return fail(`There can be at most ${OPERATORS_MAX} operator tokens: revoke one first.`)
    const id = randomId(random, LINK_LENGTH)
    const secret = newSecret(random)
    const operator: Operator = {
      id,
      name,
      scopes: [...new Set(scopes)],
      secretSha256: hashSecret(secret),
      createdAt: clock.now(),
      usedAt: null,
    }
    work.change((record) => {
      operators.insert(operator)
      record(administrationEntry(clock, `operator token “${name}” created (${operator.scopes.join(', ')})`, cause))
    })
    this.#parts.changes.emit(OWNER_CHANGED)
    return ok({ token: formatOperatorToken({ gateway, id, secret }), operator })
  }

  /** Revocation of a token; null if there is none. */
  revocation(id: string, cause: Cause): Revocation | null {
    const { operators, work, ended } = this.#parts
    const known = operators.get(id)
    if (known === undefined) return null
    const change = (): void =>
      work.change((record) => {
        operators.remove(id)
        record(administrationEntry(this.#parts.clock, `operator token “${known.name}” revoked`, cause))
      })
    const over = (): void => {
      ended([id])
      this.#parts.changes.emit(OWNER_CHANGED)
    }
    return revocationOf({ id, change, hold: () => operators.hold([id]), over })
  }

  /** The operator of a token, or null. Counts neither a failure nor a use. */
  of(text: string | null): Operator | null {
    const token = text === null ? null : parseOperatorToken(text)
    if (token === null) return null
    const known = this.#parts.operators.get(token.id)
    const matches = isSecretOf(token.secret, known?.secretSha256)
    return known !== undefined && matches && token.gateway === this.#parts.gateway ? known : null
  }

  /** Stores a use, to the hour; skipped while the disk refuses writes. */
  used({ id, usedAt }: Operator): void {
    const { operators, work, clock } = this.#parts
    const now = clock.now()
    if (usedAt !== null && Math.abs(now - usedAt) < USE_WRITTEN_MS) return
    nullIfDiskFails(() => work.change(() => operators.used(id, now)))
  }
}
