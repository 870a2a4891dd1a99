import { signal } from '@preact/signals'
import { browserTransport, Caller } from '@hm-gateway/client/src/browser.ts'
import { trust } from './trust.ts'

/** What the gateway tells every page before anybody is signed in (docs/console.md#getting-in). */
export interface About {
  /** Its serial. */
  readonly gateway: string
  /** Its name in the home's network. */
  readonly name: string
  /** SHA-256 of its CA. */
  readonly fingerprint: string
  /** Whether a set-up code is set. */
  readonly setupCode: boolean
  /** Whether passkeys work at the address of this page. */
  readonly passkeys: boolean
}

interface Open {
  readonly '/console/about': { readonly get: { readonly answer: About } }
}

/** Null until it was read. */
export const about = signal<About | null>(null)

/**
 * Reads it; pages do without where that fails. A CA that came after this page was loaded is one that no browser trusts
 * yet, though the connections that it has go on.
 */
export async function readAbout(): Promise<void> {
  try {
    const read = await new Caller<Open>(browserTransport()).call('get', '/console/about')
    if (about.value !== null && read.fingerprint !== about.value.fingerprint) trust.value = 'replaced'
    about.value = read
  } catch {
    about.value = null
  }
}
