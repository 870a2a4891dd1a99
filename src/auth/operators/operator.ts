/** What a program that looks after the gateway may be let do; nothing of it is about the home. */
export const OPERATOR_SCOPES = ['metrics', 'backup'] as const
export type OperatorScope = (typeof OPERATOR_SCOPES)[number]

/** A program that looks after the gateway, as stored: of its token only the hash of the secret is kept. */
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

/** Of one gateway. */
export const OPERATORS_MAX = 20

/** Reads are as fresh as the last commit; writes run inside `UnitOfWork.change`. */
export interface OperatorStore {
  get(id: string): Operator | undefined
  list(): readonly Operator[]
  insert(operator: Operator): void
  used(id: string, at: number): void
  remove(id: string): void
  /** They count as gone from now on although they are stored; outside of a change. */
  hold(ids: readonly string[]): void
}

/** The parts of an operator's token. */
export interface OperatorToken {
  readonly gateway: string
  readonly id: string
  /** 32 random bytes as base64url. */
  readonly secret: string
}

const TOKEN = /^hm_op_([a-z0-9]{12})\.([a-z0-9]{10})\.([A-Za-z0-9_-]{43})$/

/** What is in a text of the form `hm_op_{gateway}.{id}.{secret}`, or null. */
export function parseOperatorToken(text: string): OperatorToken | null {
  const match = TOKEN.exec(text)
  if (!match) return null
  const [, gateway = '', id = '', secret = ''] = match
  return { gateway, id, secret }
}

export const formatOperatorToken = ({ gateway, id, secret }: OperatorToken): string =>
  `hm_op_${gateway}.${id}.${secret}`
