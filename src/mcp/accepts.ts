/** Media types that a client takes as answers of the protocol. */
export interface Accepts {
  readonly json: boolean
  readonly events: boolean
}

const RANGE = /^\s*([^\s;]+)\s*(?:;(.*))?$/s
const QUALITY = /(?:^|;)\s*q\s*=\s*"?([\d.]+)/i

/**
 * Reads the header `Accept` by RFC 9110 section 12.5.1: without it anything is taken, `q=0` excludes, and the most
 * specific range decides. Parameters of media types make no difference.
 */
export function acceptsOf(headers: Headers): Accepts {
  const ranges = rangesOf(headers.get('accept') ?? '')
  if (ranges.size === 0) return { json: true, events: true }
  const taken = (...specificFirst: readonly string[]): boolean =>
    specificFirst.map((range) => ranges.get(range)).find((each) => each !== undefined) ?? false
  return {
    json: taken('application/json', 'application/*', '*/*'),
    events: taken('text/event-stream', 'text/*', '*/*'),
  }
}

/** Each range of the header, and whether it is taken. */
function rangesOf(header: string): ReadonlyMap<string, boolean> {
  const ranges = new Map<string, boolean>()
  for (const word of header.split(',')) {
    const [, written = '', parameters = ''] = RANGE.exec(word) ?? []
    const range = written.toLowerCase()
    const isTaken = Number(QUALITY.exec(parameters)?.[1] ?? '1') !== 0
    if (range !== '') ranges.set(range, isTaken || ranges.get(range) === true)
  }
  return ranges
}
