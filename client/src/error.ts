/** The Error shape of the service (Spec 7). */
type ErrorShape = Pick<HmError, 'code' | 'message'> & Partial<Pick<HmError, 'appAction' | 'retryAfter' | 'at'>>

/** A refusal of the service: a code, one sentence, and a remedy if there is one. */
export class HmError extends Error {
  override readonly name = 'HmError'
  /** The HTTP status; over the stream the one that HTTPS would answer. */
  readonly status: number
  /** Error code of the service. Later versions may add codes. */
  readonly code: string
  /** Place in the home's app where the user can fix it, or null. */
  readonly appAction: string | null
  /** Seconds to wait before a retry, or null. */
  readonly retryAfter: number | null
  /** The refused part of a rule, a JSON Pointer such as `/if/0/any/1`, or null. */
  readonly at: string | null

  constructor(status: number, { code, message, appAction = null, retryAfter = null, at = null }: ErrorShape) {
    super(message)
    this.status = status
    this.code = code
    this.appAction = appAction
    this.retryAfter = retryAfter
    this.at = at
  }
}

/** The gateway has another CA than the trusted one. Tell the user, who decides. */
export class TrustError extends Error {
  override readonly name = 'TrustError'
  /** SHA-256 of the trusted CA, upper-case hex pairs joined by colons. */
  readonly expected: string
  /** SHA-256 of the CA that the gateway presented. */
  readonly found: string

  constructor(expected: string, found: string) {
    super(
      `The gateway's CA is not the one that is trusted: ${found} instead of ${expected}. Either an administrator created a new one, or another server answers in its place. Compare it with what \`bin/hm tls show\` prints.`,
    )
    this.expected = expected
    this.found = found
  }
}

/** No response arrived. The gateway may have made the change, unless `isSent` is false. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  /** False if the request cannot have arrived: there was no connection. */
  readonly isSent: boolean

  constructor(message: string, { isSent, cause }: { readonly isSent: boolean; readonly cause?: unknown }) {
    super(message, { cause })
    this.isSent = isSent
  }
}

/**
 * The refusal in a response. A body without the Error shape, for example from another server, gives the code `unknown`.
 * Pairing responds with a bare word, which is the code.
 * @param body the parsed JSON of the response, or any other value
 */
export function refusalIn(status: number, body: unknown): HmError {
  const error = isObject(body) ? body['error'] : null
  const fields: Readonly<Record<string, unknown>> = isObject(error) ? error : { code: error }
  const code = textOf(fields['code'])
  return new HmError(status, {
    code: code ?? 'unknown',
    message:
      code === null
        ? `The response is not from the service: status ${status} without an error code.`
        : (textOf(fields['message']) ?? code),
    appAction: textOf(fields['appAction']),
    retryAfter: typeof fields['retryAfter'] === 'number' ? fields['retryAfter'] : null,
    at: textOf(fields['at']),
  })
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
