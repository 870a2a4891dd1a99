import type { ExposedHouse } from '../exposure/exposed-house.ts'
import { Gzipped } from '../lib/gzipped.ts'
import { tagOf } from './answers.ts'
import type { Prebuilt } from './handler.ts'

/** All lists of all integrations together; what was asked for longest ago is then made anew when it is asked for. */
export const KEPT_LISTS_BYTES_MAX = 8 * 1024 * 1024

/** A list as an endpoint answers it. */
export interface List<T extends object> {
  readonly name: 'scenes' | 'automations' | 'schedules'
  /** Whatever changes of an item makes it another object; what does not is in `now`. */
  readonly items: readonly T[]
  /** The fields of an item that are so until it or the view changes. */
  readonly shown: (item: T) => object
  /** Its last field and value, where that changes by itself. */
  readonly now?: (item: T) => readonly [field: string, value: unknown]
}

interface Piece {
  readonly item: object
  /** An object of which the last brace is left out. */
  readonly json: string
  now: string
}

interface Kept {
  readonly view: ExposedHouse
  readonly pieces: Piece[]
  answer: Prebuilt | null
}

/**
 * Lists of hundreds as bytes, kept for each integration: of one that changed only the items are written anew that did,
 * and of one that did not, nothing.
 */
export class KeptLists {
  /** By integration and list, that first which was asked for longest ago. */
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  of<T extends object>(view: ExposedHouse, list: List<T>): Prebuilt {
    const key = `${view.integration.id} ${list.name}`
    const known = this.#kept.get(key)
    const kept = known?.view === view ? known : { view, pieces: [], answer: null }
    const differs = written(kept.pieces, list)
    if (kept.answer !== null && !differs) {
      this.#kept.delete(key)
      this.#kept.set(key, kept)
      return kept.answer
    }
    const answer = answerOf(view, list.name, kept.pieces)
    this.#drop(key)
    this.#kept.set(key, { ...kept, answer })
    this.#bytes += answer.prebuilt.length
    this.#makeRoom(key)
    return answer
  }

  forget(integration: string): void {
    for (const key of [...this.#kept.keys()]) if (key.startsWith(`${integration} `)) this.#drop(key)
  }

  #makeRoom(newest: string): void {
    for (const key of this.#kept.keys()) {
      if (this.#bytes <= KEPT_LISTS_BYTES_MAX || key === newest) return
      this.#drop(key)
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.answer?.prebuilt.length ?? 0
    this.#kept.delete(key)
  }
}

/** Brings the pieces up to the list; answers whether anything differs. */
function written<T extends object>(pieces: Piece[], { items, shown, now }: List<T>): boolean {
  let differs = pieces.length !== items.length
  for (const [index, item] of items.entries()) {
    const text = now === undefined ? '}' : nowText(...now(item))
    const known = pieces[index]
    if (known?.item === item && known.now === text) continue
    const json = known?.item === item ? known.json : JSON.stringify(shown(item)).slice(0, -1)
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

/** Where each text begins when they follow the head with a comma between them. */
function beginnings(head: string, texts: readonly string[]): readonly number[] {
  let at = Buffer.byteLength(head)
  return texts.map((text) => {
    const from = at
    at += Buffer.byteLength(text) + 1
    return from
  })
}

/** The answer with only some of its items, as JSON; `to` is exclusive. */
export function partOfList(body: Buffer, items: readonly number[], from: number, to: number): string {
  const end = body.length - LIST_END.length
  const [first = end, start = end, stop = end + 1] = [items[0], items[from], items[to]]
  const part = start < end && from < to ? body.toString('utf8', start, stop - 1) : ''
  return body.toString('utf8', 0, first) + part + LIST_END
}
