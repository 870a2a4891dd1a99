import type { LogLineView } from '../admin/contract/log.ts'

/** What is answered to `GET /admin/v1/log`, as far as it matters here. */
interface LogAnswer {
  readonly run: string
  readonly lines: readonly LogLineView[]
}

/** The log as it grows, each line once, also where the gateway is started anew meanwhile. */
export class LogTail {
  readonly #ask: (after: number) => Promise<LogAnswer>
  #seen: { readonly run: string; readonly seq: number } | null = null

  /** @param ask answers the lines that are still in memory after the one of this number */
  constructor(ask: (after: number) => Promise<LogAnswer>) {
    this.#ask = ask
  }

  /** The lines since the last time; `anew`: the gateway was started meanwhile, and these are the lines of that start. */
  async next(): Promise<{ readonly lines: readonly LogLineView[]; readonly anew: boolean }> {
    const seen = this.#seen
    const first = await this.#ask(seen?.seq ?? 0)
    const anew = seen !== null && first.run !== seen.run
    // A start gives new numbers, so lines below the old number are missing from that answer.
    const { run, lines } = anew ? await this.#ask(0) : first
    this.#seen = { run, seq: lines.at(-1)?.seq ?? (anew ? 0 : (seen?.seq ?? 0)) }
    return { lines, anew }
  }
}
