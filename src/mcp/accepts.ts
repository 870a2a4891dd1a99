/** Media types that a client takes as answers of the protocol. */
export interface Accepts {
  readonly json: boolean
  readonly events: boolean
}

/** The parts of a list; a quoted text counts as a whole, also one without an end (RFC 9110 section 5.6.4). */
const BETWEEN = {
  commas: /(?:"(?:\\[^]|[^"\\])*"?|[^",])+/g,
  semicolons: /(?:"(?:\\[^]|[^"\\])*"?|[^";])+/g,
} as const
const QUALITY = /^\s*q\s*=\s*"?([\d.]+)/i

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
  for (const item of header.match(BETWEEN.commas) ?? []) {
    const [, written = '', rest = ''] = /^([^;]*)(.*)$/s.exec(item) ?? []
    const range = written.trim().toLowerCase()
    const qualities = (rest.match(BETWEEN.semicolons) ?? []).flatMap((parameter) => QUALITY.exec(parameter)?.[1] ?? [])
    const isTaken = Number(qualities[0] ?? '1') !== 0
    if (range !== '') ranges.set(range, isTaken || ranges.get(range) === true)
  }
  return ranges
}
