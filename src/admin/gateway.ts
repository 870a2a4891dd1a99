import type { FailureLog } from '../auth/credentials/failed-authentications.ts'
import type { Cause } from '../home/model/events.ts'
import type { LogLevel } from '../lib/log.ts'
import type { LogLine, LogQuery } from '../lib/log-lines.ts'
import type { gateway, log, metrics, release, ReleaseView, StatusView, TlsView } from './contract/gateway.ts'
import type { AdminHandlersOf } from './dispatch.ts'

/** The newest lines of the log, and its level. */
export interface Logbook {
  /** Id of the process's run; each start has a new one. */
  readonly run: string
  list(query: LogQuery): readonly LogLine[]
  level(): LogLevel
  setLevel(level: LogLevel): void
}

/** Parts for administrators' requests about the gateway itself. */
export interface GatewayParts {
  readonly gateway: string
  readonly ca: () => TlsView['ca']
  readonly leaf: () => {
    readonly notBefore: number
    readonly notAfter: number
    readonly names: readonly string[]
    readonly fingerprint: string
  }
  /** Both wait for changes under way and then call `ready`; if it throws, nothing changes. */
  readonly renew: (ready: () => void) => Promise<void>
  readonly regenerateCa: (ready: () => void) => Promise<void>
  /** Records an administrator's action, as one phrase. */
  readonly record: (what: string, cause: Cause) => void
  readonly status: () => StatusView
  readonly release: () => ReleaseView
  /** Forgets the incidents up to this number; returns how many. */
  readonly acknowledge: (upTo: number, cause: Cause) => number
  readonly failures: Pick<FailureLog, 'list'>
  readonly log: Logbook
  /** Metrics as text, with or without each unit by name. */
  readonly metrics: (withUnits: boolean) => string
  /** Writes a consistent copy to a new file; throws a sentence on failure. */
  readonly backup: (file: string) => Promise<number>
}

export function gatewayAdminHandlers(
  parts: GatewayParts,
): AdminHandlersOf<typeof gateway & typeof log & typeof metrics & typeof release> {
  const tls = (): TlsView => ({ ca: parts.ca(), certificate: parts.leaf() })
  return {
    'tls.show': tls,
    'tls.renew': async ({ by, cause, refuse }) => {
      await parts.renew(() => by.holds() || refuse('unauthorized'))
      parts.record('Certificate renewed', cause)
      return tls()
    },
    'tls.regenerateCa': async ({ by, cause, refuse }) => {
      await parts.regenerateCa(() => by.holds() || refuse('unauthorized'))
      parts.record('New CA created', cause)
      return tls()
    },
    'status.get': () => parts.status(),
    'release.show': () => parts.release(),
    'metrics.get': ({ query }) => parts.metrics(query.units === '1'),
    'log.list': ({ query }) => ({ level: parts.log.level(), run: parts.log.run, lines: parts.log.list(query) }),
    'log.level': ({ body }) => {
      parts.log.setLevel(body.level)
      return { level: parts.log.level() }
    },
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
