import { consoleLink } from '@hm-gateway/client/src/console-link.ts'
import { ConnectionError, HmError, TrustError } from '@hm-gateway/client/src/error.ts'
import { CliError } from '../../shell/terminal.ts'

/** Exit codes of client commands, so that scripts can tell problems apart (docs/hm.md#exit-codes). */
export const EXIT_CODES = {
  /** Wrong input: a name that matches nothing or several things, or an invalid value. */
  typed: 1,
  /** There is no login, or its credential has ended. */
  login: 2,
  /** The gateway refused. */
  refused: 3,
  /** No gateway answered. */
  unreached: 4,
  /** The server has another CA. */
  trust: 5,
  /** The unit or its adapter does not respond. */
  unit: 6,
} as const

/** A failure of a client command, with an error code (docs/hm.md#for-programs). */
export class Failure extends CliError {}

/** Context of a failed call, for the link to the place where an administrator can fix it. */
interface Whereabouts {
  /** Address of the gateway at home; null if unknown, as through a relay. */
  readonly gateway: string | null
  readonly device?: string
  /** The id of the integration of the login. */
  readonly integration?: string | undefined
}

const UNIT_CODES: readonly string[] = ['unit_unreachable', 'hmhc_unavailable']
const RELAY_CODES: readonly string[] = ['gateway_offline', 'gateway_timeout', 'relay_unavailable']

/** Turns an error of the client into words for the user; a defect stays as it is. */
export function failureOf(error: unknown, where: Whereabouts = { gateway: null }): unknown {
  if (error instanceof TrustError) return new Failure(trustWords(error), EXIT_CODES.trust, { code: 'other_ca' })
  if (error instanceof ConnectionError)
    return new Failure(`${error.message} Run \`hm doctor\` for the reason.`, EXIT_CODES.unreached, {
      code: 'unreached',
    })
  if (!(error instanceof HmError)) return error
  const { code, appAction, retryAfter } = error
  return new Failure(refusalWords(error, where), exitCodeOf(error), { code, appAction, retryAfter })
}

/** Message with both fingerprints and the next step: a changed CA is reported, never accepted (Spec 4 rule 10). */
function trustWords({ message }: TrustError): string {
  return `${message} If the gateway has a new CA, ask for a new connection code and log in again.`
}

/** The gateway's own sentence, and the place to fix it. */
function refusalWords(error: HmError, { gateway, device, integration }: Whereabouts): string {
  const named = {
    ...(integration === undefined ? {} : { integration }),
    ...(device === undefined ? {} : { device }),
  }
  const link = gateway === null ? null : consoleLink(error, { gateway, ...named })
  const mend = link === null ? '' : `\nAn administrator can fix it at ${link}`
  const again = error.status === 401 ? '\nAsk for a new connection code, and log in with it: hm login' : ''
  return `${error.message}${mend}${again}`
}

function exitCodeOf({ status, code }: HmError): number {
  if (status === 401) return EXIT_CODES.login
  if (UNIT_CODES.includes(code)) return EXIT_CODES.unit
  return RELAY_CODES.includes(code) ? EXIT_CODES.unreached : EXIT_CODES.refused
}
