import { signal } from '@preact/signals'
import { browserTransport, Caller } from '@hm-gateway/client/src/browser.ts'

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

/** Where the build puts the worker. */
const WORKER = '/console/worker.js'

/**
 * Whether this browser checks the gateway's certificate; `unknown` where it cannot be tried, `replaced` where it did
 * and the gateway has another CA since.
 */
type Trust = 'trying' | 'verified' | 'unverified' | 'replaced' | 'unknown'

export const trust = signal<Trust>('trying')

/**
 * Tries it: a browser registers a service worker over a connection that it has verified alone, and not behind a warning
 * that somebody clicked away (docs/console.md#trust).
 */
export async function tryTrust(): Promise<void> {
  if (!('serviceWorker' in navigator)) {
    // Browsers leave it out where the page is not trusted, and a few leave it out altogether.
    trust.value = isSecureContext ? 'unknown' : 'unverified'
    return
  }
  try {
    await navigator.serviceWorker.register(workerAddress(), { scope: '/console/' })
    trust.value = 'verified'
  } catch (error) {
    trust.value = error instanceof DOMException && error.name === 'SecurityError' ? 'unverified' : 'unknown'
  }
}

/** The policy of the page takes the address of a worker by a named policy alone. */
const workerAddress = (): string =>
  globalThis.trustedTypes?.createPolicy('hm', { createScriptURL: () => WORKER }).createScriptURL(WORKER) ?? WORKER

declare global {
  /** Of browsers that know Trusted Types; what it makes is taken wherever a script's address is. */
  var trustedTypes:
    | {
        createPolicy(
          name: string,
          rules: { readonly createScriptURL: (input: string) => string },
        ): { createScriptURL(input: string): string }
      }
    | undefined
}
