import { consoleLink } from '@hm-gateway/client/src/console-link.ts'
import { ConnectionError, HmError, TrustError } from '@hm-gateway/client/src/error.ts'
import { CliError } from '../../shell/terminal.ts'

/** What a client command ends with, so that scripts know one trouble from another (docs/hm.md#exit-codes). */
export const EXIT_CODES = {
  /** What was typed: a name that nothing or more than one thing has, a value that is none. */
  typed: 1,
  /** There is no login, or its credential has ended. */
  login: 2,
  /** The gateway refused. */
  refused: 3,
  /** No gateway answered. */
  unreached: 4,
  /** What answered has another CA. */
  trust: 5,
  /** The unit, or the adapter that leads to it, does not answer. */
  unit: 6,
} as const

/** A failure of a client command, which has a code of its own (docs/hm.md#for-programs). */
export class Failure extends CliError {}

/** What is about the call that failed, for the link to where an administrator mends it. */
interface Whereabouts {
  /** The address of the gateway at home; null where it is not known, as through a relay. */
  readonly gateway: string | null
  readonly device?: string
  /** The id of the integration of the login. */
  readonly integration?: string | undefined
}

const UNIT_CODES: readonly string[] = ['unit_unreachable', 'hmhc_unavailable']
const RELAY_CODES: readonly string[] = ['gateway_offline', 'gateway_timeout', 'relay_unavailable']

/** An error of the client as what the user reads; a defect stays as it is. */
export function failureOf(error: unknown, where: Whereabouts = { gateway: null }): unknown {
  if (error instanceof TrustError) return new Failure(trustWords(error), EXIT_CODES.trust, { code: 'other_ca' })
  if (error instanceof ConnectionError)
    return new Failure(`${error.message} \`hm doctor\` says why.`, EXIT_CODES.unreached, { code: 'unreached' })
  if (!(error instanceof HmError)) return error
  const { code, appAction, retryAfter } = error
  return new Failure(refusalWords(error, where), exitCodeOf(error), { code, appAction, retryAfter })
}

/** Both fingerprints, and what to do: a changed CA is told, never taken (Spec 4 rule 10). */
function trustWords({ message }: TrustError): string {
  return `${message} Where it is a new one, ask for a new connection code and log in again.`
}

/** The gateway's own sentence, and where it is mended. */
function refusalWords(error: HmError, { gateway, device, integration }: Whereabouts): string {
  const named = {
    ...(integration === undefined ? {} : { integration }),
    ...(device === undefined ? {} : { device }),
  }
  const link = gateway === null ? null : consoleLink(error, { gateway, ...named })
  const mend = link === null ? '' : `\nAn administrator mends it at ${link}`
  const again = error.status === 401 ? '\nAsk for a new connection code, and log in with it: hm login' : ''
  return `${error.message}${mend}${again}`
}

function exitCodeOf({ status, code }: HmError): number {
  if (status === 401) return EXIT_CODES.login
  if (UNIT_CODES.includes(code)) return EXIT_CODES.unit
  return RELAY_CODES.includes(code) ? EXIT_CODES.unreached : EXIT_CODES.refused
}
