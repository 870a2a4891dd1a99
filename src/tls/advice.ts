import type { Log } from '@hm-gateway/lib/log.ts'
import type { TlsFiles } from './tls-folder.ts'

/** Program that owns the certificates. */
export type TlsOwner = 'gateway' | 'relay'

/** Log of a warning, and the program that its advice is for. */
export interface WarningParts {
  readonly log: Log
  readonly files: TlsFiles
  readonly owner?: TlsOwner
}

/** Advice to the administrator; each text completes a sentence of the log. */
interface TlsAdvice {
  /** Steps after which certificates are dated by the clock again. */
  readonly believeClock: string
  readonly newCa: string
}

/** A relay has no commands for its certificates: its operator removes files while it is stopped. */
export function adviceOf({ owner = 'gateway', files: { dir, clock, leaf } }: WarningParts): TlsAdvice {
  switch (owner) {
    case 'gateway':
      return {
        believeClock: 'run `bin/hm tls renew`',
        newCa: 'run `bin/hm tls regenerate-ca` and let the clients trust the new one',
      }
    case 'relay':
      return {
        believeClock: `stop the relay, remove ${clock} and ${leaf}, and start it again`,
        newCa: `stop the relay, remove the folder ${dir}, start it again, and connect the gateways with the new fingerprint`,
      }
  }
}
