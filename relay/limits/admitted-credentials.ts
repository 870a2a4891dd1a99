import { createHash } from 'node:crypto'

/** Credentials that a home has admitted, as digests: no token is stored. */
export class AdmittedCredentials {
  readonly #max: number
  readonly #digests = new Set<string>()

  /** @param max beyond it the credential admitted longest ago is forgotten. */
  constructor(max: number) {
    this.#max = max
  }

  has(digest: string): boolean {
    return this.#digests.has(digest)
  }

  /** Notes the status of an answer: only an admitted credential gets a success, a refused one gets 401. */
  answered(digest: string, status: number): void {
    if (status === 401) this.#digests.delete(digest)
    else if (isAdmission(status)) this.#add(digest)
  }

  #add(digest: string): void {
    this.#digests.add(digest)
    const [oldest] = this.#digests
    if (this.#digests.size > this.#max && oldest !== undefined) this.#digests.delete(oldest)
  }
}

/** True for a status that only an admitted credential gets. */
export function isAdmission(status: number): boolean {
  return (status >= 200 && status < 300) || status === 304
}

/** A digest of a token, which is a long random one. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
