import type { Exchange, Got } from '../answering.ts'

const UNANSWERED: Got = { status: 0, text: '', body: {}, code: null }

/** The name that a thing must have, `ended` for a credential, or null for what must be gone. */
type Promised = string | null

/** Before a name that a refused write would have given. */
export const NAMED = 'named'

/** What acknowledged writes have promised, by what they changed: `scene:evening`, `link:k2`, `named:Evening`. */
export class Ledger {
  /** Undefined: a later change may have undone it. */
  readonly #promised = new Map<string, Promised | undefined>()
  /** What was promised before each write: what is refused because of the disk leaves it so. */
  #before = new WeakMap<Exchange, ReadonlyMap<string, Promised | undefined>>()
  /** Writes under way, by what they change. */
  readonly #underWay = new Map<string, Set<Exchange>>()
  /** Of two writes of one thing at a time nobody knows which was made last: their answers wait for the disk. */
  readonly #contested = new WeakSet<Exchange>()

  /** Until it is answered it may be made or not. */
  asked(exchange: Exchange): void {
    const before = new Map<string, Promised | undefined>()
    this.#before.set(exchange, before)
    for (const [key] of entriesOf(exchange, UNANSWERED)) {
      before.set(key, this.#promised.get(key))
      this.#promised.set(key, undefined)
      const writes = this.#underWay.get(key) ?? new Set()
      this.#underWay.set(key, writes.add(exchange))
      if (writes.size > 1) writes.forEach((each) => this.#contested.add(each))
    }
  }

  answered(exchange: Exchange, got: Got): void {
    const known = entriesOf(exchange, UNANSWERED).map(([key]) => key)
    for (const key of known) this.#underWay.get(key)?.delete(exchange)
    const before = this.#before.get(exchange)
    if (got.code === 'storage_unavailable' && !this.#contested.has(exchange))
      for (const key of known) this.#promised.set(key, before?.get(key))
    for (const [key, value] of entriesOf(exchange, got)) {
      // What was made is there before its answer is: somebody may have changed it by then.
      const overtaken = !known.includes(key) && this.#promised.has(key)
      this.#promised.set(key, overtaken || this.#contested.has(exchange) ? undefined : value)
    }
    if (exchange.request.name !== 'house.import') return
    this.#promised.clear()
    this.#before = new WeakMap()
  }

  *promises(): Iterable<readonly [key: string, promised: Promised]> {
    for (const [key, promised] of this.#promised) if (promised !== undefined) yield [key, promised]
  }
}

const nameKey = (name: string): string => `${NAMED}:${name}`
const undone = (key: string): [string, undefined] => [key, undefined]

/** What of an answer nobody knows whether it was made. */
const isUnknown = ({ status, code }: Got): boolean =>
  status === 0 || code === 'outcome_unknown' || (status >= 500 && code !== 'storage_unavailable')

/** What an answer promises. Of what was not answered nothing is known. */
function entriesOf({ request, caller }: Exchange, got: Got): [string, Promised | undefined][] {
  if (request.method === 'GET') return []
  const { status, body } = got
  // What the disk has not taken yet may be undone by a start.
  const acknowledged = status >= 200 && status < 300 && body['unstored'] !== true
  const unknown = isUnknown(got)
  const named = (request.body ?? {}) as { readonly name?: string }
  const kind = /^(scene|automation|schedule)s\./.exec(request.name)?.[1]
  if (kind !== undefined && caller !== null) {
    const made = body[kind] as { readonly id: string } | undefined
    const id = made?.id ?? decodeURIComponent(request.path.split('/')[3] ?? '')
    const key = `${kind}:${id.split(':')[3] ?? ''}`
    const its = named.name === undefined ? [] : [nameKey(named.name)]
    if (acknowledged && made !== undefined && named.name !== undefined) return [[key, named.name], ...its.map(undone)]
    // Nothing has a name that was given to nothing.
    if (got.code === 'storage_unavailable') return its.map((name): [string, Promised] => [name, null])
    return unknown ? [[key, undefined], ...its.map(undone)] : []
  }
  const local = decodeURIComponent(request.path.split('/')[4] ?? '')
  if (kind !== undefined && request.method === 'DELETE') {
    if (acknowledged) return [[`${kind}:${local}`, null]]
    return unknown ? [[`${kind}:${local}`, undefined]] : []
  }
  if (request.name === 'keys.revoke' || request.name === 'agents.revoke')
    return acknowledged ? [[`link:${local}`, 'ended']] : []
  return request.name === 'integrations.delete' && acknowledged ? [[`integration:${local}`, null]] : []
}
