const REPORTS_MAX = 2_048

interface Waiting {
  readonly payload: Buffer
  /** The unit it is about, or null. */
  readonly address: number | null
}

/**
 * What the adapter has still to send to its host. Replies go first, but never past an older report about the same unit:
 * otherwise the host would take the older state for the newer one.
 */
export class AckQueue {
  #first: Buffer[] = []
  #reports: Waiting[] = []

  /** Returns false when the oldest report was given up for it. */
  addReport(payload: Buffer, address: number | null): boolean {
    this.#reports.push({ payload, address })
    if (this.#reports.length <= REPORTS_MAX) return true
    this.#reports.shift()
    return false
  }

  /** `addresses`: the units whose state the reply carries. */
  addReply(payload: Buffer, addresses: readonly number[]): void {
    if (addresses.length > 0 && this.#reports.length > 0) {
      const about = new Set<number | null>(addresses)
      for (const report of this.#reports) if (about.has(report.address)) this.#first.push(report.payload)
      this.#reports = this.#reports.filter((report) => !about.has(report.address))
    }
    this.#first.push(payload)
  }

  next(): Buffer | null {
    return this.#first.shift() ?? this.#reports.shift()?.payload ?? null
  }

  /** Forgets everything; returns how many reports that were. */
  clear(): number {
    const reports = this.#reports.length
    this.#first = []
    this.#reports = []
    return reports
  }
}
