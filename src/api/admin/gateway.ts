import type { FailureLog } from '../../auth/failed-authentications.ts'
import type { Cause } from '../../home/model/cause.ts'
import type { TrustAnchor } from '../handlers/home.ts'
import type { StatusView, TlsView } from './contract/gateway.ts'
import type { AdminContract } from './contract/index.ts'
import type { AdminHandlersOf } from './dispatch.ts'

/** What the composition root lends to the administrators' requests about the gateway itself. */
export interface GatewayParts {
  readonly gateway: string
  readonly ca: () => TrustAnchor
  readonly leaf: () => {
    readonly notBefore: number
    readonly notAfter: number
    readonly names: readonly string[]
    readonly fingerprint: string
  }
  readonly renew: () => Promise<void>
  readonly regenerateCa: () => Promise<void>
  readonly status: () => StatusView
  /** Forgets the incidents up to this number; answers how many. */
  readonly acknowledge: (upTo: number, cause: Cause) => number
  readonly failures: Pick<FailureLog, 'list'>
  /** Writes a consistent copy to a file that must not exist yet; throws a sentence otherwise. */
  readonly backup: (file: string) => Promise<number>
}

type GatewayNames =
  | 'tls.show'
  | 'tls.renew'
  | 'tls.regenerateCa'
  | 'status.get'
  | 'failures.list'
  | 'incidents.acknowledge'
  | 'backup.write'

export function gatewayAdminHandlers(parts: GatewayParts): AdminHandlersOf<Pick<AdminContract, GatewayNames>> {
  const tls = (): TlsView => ({ ca: parts.ca(), certificate: parts.leaf() })
  return {
    'tls.show': tls,
    'tls.renew': async () => {
      await parts.renew()
      return tls()
    },
    'tls.regenerateCa': async () => {
      await parts.regenerateCa()
      return tls()
    },
    'status.get': () => parts.status(),
    'failures.list': () => ({ failures: [...parts.failures.list()] }),
    'incidents.acknowledge': ({ body, cause }) => ({ acknowledged: parts.acknowledge(body.upTo, cause) }),
    'backup.write': async ({ body, refuse }) => {
      try {
        return { file: body.file, bytes: await parts.backup(body.file) }
      } catch (error) {
        return refuse('validation', {
          message: `The backup could not be written: ${error instanceof Error ? error.message : 'unknown reason'}.`,
        })
      }
    },
  }
}
