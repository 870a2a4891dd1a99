import { signal } from '@preact/signals'
import { browserTransport, Caller } from '@hm-gateway/client/src/browser.ts'

/** Facts about the gateway that every page reads before sign-in (docs/console.md#getting-in). */
export interface PublicFacts {
  /** Serial of the gateway. */
  readonly gateway: string
  /** Host name in the home's network. */
  readonly name: string
  /** SHA-256 of the CA. */
  readonly fingerprint: string
  /** True if a set-up code can sign in. */
  readonly setupCode: boolean
  /** True if passkeys work at the address of this page. */
  readonly passkeys: boolean
}

interface AboutPaths {
  readonly '/console/about': { readonly get: { readonly answer: PublicFacts } }
}

/** Null until the gateway answered. */
export const about = signal<PublicFacts | null>(null)

/**
 * Reads the facts; pages work without them. A changed fingerprint means a new CA. Browsers do not trust it yet, even
 * while their open connections continue.
 */
export async function readAbout(): Promise<void> {
  try {
    const read = await new Caller<AboutPaths>(browserTransport()).call('get', '/console/about')
    if (about.value !== null && read.fingerprint !== about.value.fingerprint) trust.value = 'replaced'
    about.value = read
  } catch {
    about.value = null
  }
}

/** Address of the service worker in the build. */
const WORKER = '/console/worker.js'

/** Result of the certificate check. `replaced`: the CA changed after a successful check; `unknown`: no check possible. */
type Trust = 'trying' | 'verified' | 'unverified' | 'replaced' | 'unknown'

export const trust = signal<Trust>('trying')

/**
 * Checks the certificate by registering a service worker. Browsers refuse that after a dismissed certificate warning
 * (docs/console.md#trust).
 */
export async function checkTrust(): Promise<void> {
  if (!('serviceWorker' in navigator)) {
    // Untrusted pages have no service workers; a few browsers never have them.
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

/** The page's content security policy requires a Trusted Types policy for worker addresses. */
const workerAddress = (): string =>
  globalThis.trustedTypes?.createPolicy('hm', { createScriptURL: () => WORKER }).createScriptURL(WORKER) ?? WORKER

declare global {
  /** Undefined in browsers without Trusted Types. */
  var trustedTypes:
    | {
        createPolicy(
          name: string,
          rules: { readonly createScriptURL: (input: string) => string },
        ): { createScriptURL(input: string): string }
      }
    | undefined
}
