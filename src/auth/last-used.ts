import { type Clock, every } from '../lib/clock.ts'
import type { Credential, CredentialUse, CredentialWriter, Via } from './credential.ts'

/** Kept in memory and written behind at most this often (D9): a mere read writes nothing. */
const WRITE_EVERY_MS = 30_000

/** When and from where each credential was last used. */
export class LastUsed {
  readonly #clock: Clock
  readonly #writer: Pick<CredentialWriter, 'used'>
  readonly #uses = new Map<string, CredentialUse>()
  readonly #unwritten = new Set<string>()
  readonly #stop: () => void

  constructor(clock: Clock, writer: Pick<CredentialWriter, 'used'>) {
    this.#clock = clock
    this.#writer = writer
    this.#stop = every(clock, WRITE_EVERY_MS, () => this.write())
  }

  used(link: string, via: Via): void {
    this.#uses.set(link, { link, at: this.#clock.now(), via })
    this.#unwritten.add(link)
  }

  of(credential: Credential): { readonly at: number; readonly via: Via } | null {
    const here = this.#uses.get(credential.link)
    if (here) return here
    return credential.lastUsedAt === null ? null : { at: credential.lastUsedAt, via: credential.lastUsedVia ?? 'home' }
  }

  write(): void {
    if (this.#unwritten.size === 0) return
    const uses = [...this.#unwritten].flatMap((link) => this.#uses.get(link) ?? [])
    this.#unwritten.clear()
    this.#writer.used(uses)
  }

  stop(): void {
    this.#stop()
    this.write()
  }
}
