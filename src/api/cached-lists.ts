import type { ExposedHouse } from '../exposure/exposed-house.ts'
import { Gzipped } from '../lib/gzipped.ts'
import { tagOf } from './answers.ts'
import type { Prebuilt } from './handler.ts'

/** Limit over all lists of all integrations; the least recently used list is evicted. */
export const CACHED_LISTS_BYTES_MAX = 8 * 1024 * 1024

/** A list of an endpoint. */
export interface EndpointList<T extends object> {
  readonly name: 'scenes' | 'automations' | 'schedules'
  /** Items; a changed item is a new object, apart from its `now` field. */
  readonly items: readonly T[]
  /** Fields of an item that are fixed until the item or the view changes. */
  readonly fieldsOf: (item: T) => object
  /** Last field and value of an item, if that changes by itself. */
  readonly now?: (item: T) => readonly [field: string, value: unknown]
}

interface Piece {
  readonly item: object
  /** JSON object without its closing brace. */
  readonly json: string
  now: string
}

interface CachedList {
  readonly view: ExposedHouse
  readonly pieces: Piece[]
  answer: Prebuilt | null
}

/** Long lists as bytes, cached for each integration. Only changed items are serialised again. */
export class CachedLists {
  /** Lists by integration and name, least recently used first. */
  readonly #lists = new Map<string, CachedList>()
  #bytes = 0

  of<T extends object>(view: ExposedHouse, list: EndpointList<T>): Prebuilt {
    const key = `${view.integration.id} ${list.name}`
    const known = this.#lists.get(key)
    const cached = known?.view === view ? known : { view, pieces: [], answer: null }
    const differs = written(cached.pieces, list)
    if (cached.answer !== null && !differs) {
      this.#lists.delete(key)
      this.#lists.set(key, cached)
      return cached.answer
    }
    const answer = answerOf(view, list.name, cached.pieces)
    this.#drop(key)
    this.#lists.set(key, { ...cached, answer })
    this.#bytes += answer.prebuilt.length
    this.#makeRoom(key)
    return answer
  }

  forget(integration: string): void {
    for (const key of [...this.#lists.keys()]) if (key.startsWith(`${integration} `)) this.#drop(key)
  }

  #makeRoom(newest: string): void {
    for (const key of this.#lists.keys()) {
      if (this.#bytes <= CACHED_LISTS_BYTES_MAX || key === newest) return
      this.#drop(key)
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#lists.get(key)?.answer?.prebuilt.length ?? 0
    this.#lists.delete(key)
  }
}

/** Updates the pieces to the list; returns true if anything differs. */
function written<T extends object>(pieces: Piece[], { items, fieldsOf, now }: EndpointList<T>): boolean {
  let differs = pieces.length !== items.length
  for (const [index, item] of items.entries()) {
    const text = now === undefined ? '}' : nowText(...now(item))
    const known = pieces[index]
    if (known?.item === item && known.now === text) continue
    const json = known?.item === item ? known.json : JSON.stringify(fieldsOf(item)).slice(0, -1)
    pieces[index] = { item, json, now: text }
    differs = true
  }
  pieces.length = items.length
  return differs
}

const nowText = (field: string, value: unknown): string => `,${JSON.stringify(field)}:${JSON.stringify(value)}}`

function answerOf(view: ExposedHouse, name: string, pieces: readonly Piece[]): Prebuilt {
  const head = `{"house":${JSON.stringify(view.name)},"${name}":[`
  const texts = pieces.map(({ json, now }) => json + now)
  const prebuilt = Buffer.from(`${head}${texts.join(',')}${LIST_END}`)
  return { prebuilt, etag: tagOf(prebuilt), gzipped: new Gzipped(prebuilt), items: beginnings(head, texts) }
}

const LIST_END = ']}'

/** Offset of each text after the head, with a comma between them. */
function beginnings(head: string, texts: readonly string[]): readonly number[] {
  let at = Buffer.byteLength(head)
  return texts.map((text) => {
    const from = at
    at += Buffer.byteLength(text) + 1
    return from
  })
}

/** A part of the list as JSON; `to` is exclusive. */
export function partOfList(body: Buffer, items: readonly number[], from: number, to: number): string {
  const end = body.length - LIST_END.length
  const [first = end, start = end, stop = end + 1] = [items[0], items[from], items[to]]
  const part = start < end && from < to ? body.toString('utf8', start, stop - 1) : ''
  return body.toString('utf8', 0, first) + part + LIST_END
}
