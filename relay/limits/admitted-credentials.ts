import { createHash } from 'node:crypto'

/** Digests of the credentials that a home has admitted. No token is stored. */
export class AdmittedCredentials {
  readonly #max: number
  readonly #digests = new Set<string>()

  /** @param max digests that are stored; the oldest is dropped first. */
  constructor(max: number) {
    this.#max = max
  }

  has(digest: string): boolean {
    return this.#digests.has(digest)
  }

  /** Learns from the status of a response: 2xx and 304 admit the credential, 401 revokes it. */
  noteStatus(digest: string, status: number): void {
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

/** Digest of a token; tokens are long and random, so the hash needs no salt. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
