import { signal } from '@preact/signals'

/** Where the build puts the worker. */
const WORKER = '/console/worker.js'

/**
 * Whether this browser checks the gateway's certificate; `unknown` where it cannot be tried, `replaced` where it did
 * and the gateway has another CA since.
 */
export type Trust = 'trying' | 'verified' | 'unverified' | 'replaced' | 'unknown'

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
