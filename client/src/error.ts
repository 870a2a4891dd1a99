/** The Error shape of the service (Spec 7), as it may come. */
type ErrorShape = Pick<HmError, 'code' | 'message'> & Partial<Pick<HmError, 'appAction' | 'retryAfter'>>

/** A refusal of the service: one code, one plain sentence, and what can be done about it. */
export class HmError extends Error {
  override readonly name = 'HmError'
  /** The HTTP status; over the stream the one that HTTPS would answer. */
  readonly status: number
  /** One of the codes of the service; codes grow. */
  readonly code: string
  /** Where in the home's app the user can mend it; null where nowhere. */
  readonly appAction: string | null
  /** Seconds after which to try again; null where nothing says so. */
  readonly retryAfter: number | null

  constructor(status: number, { code, message, appAction = null, retryAfter = null }: ErrorShape) {
    super(message)
    this.status = status
    this.code = code
    this.appAction = appAction
    this.retryAfter = retryAfter
  }
}

/** The gateway that answers has another CA than the one that is trusted: tell the user, who decides. */
export class TrustError extends Error {
  override readonly name = 'TrustError'
  /** SHA-256 of the CA that is trusted, upper-case hex pairs joined by colons. */
  readonly expected: string
  /** The same of the CA that was found. */
  readonly found: string

  constructor(expected: string, found: string) {
    super(
      `The gateway's CA is not the one that is trusted: ${found} instead of ${expected}. Either an administrator made a new one, or something else answers in the gateway's place. Compare it with what \`bin/hm tls show\` prints.`,
    )
    this.expected = expected
    this.found = found
  }
}

/** No answer came. Whether a change was made is not known, unless `isSent` is false. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  /** False where the request cannot have arrived: there was no connection to send it over. */
  readonly isSent: boolean

  constructor(message: string, { isSent, cause }: { readonly isSent: boolean; readonly cause?: unknown }) {
    super(message, { cause })
    this.isSent = isSent
  }
}

/**
 * The refusal in an answer. What is no Error shape, as of something that is not the gateway, has the code `unknown`;
 * the words that pairing answers with are codes by themselves.
 * @param body the answer as JSON, or anything else
 */
export function refusalIn(status: number, body: unknown): HmError {
  const error = isObject(body) ? body['error'] : undefined
  if (typeof error === 'string') return new HmError(status, { code: error, message: error })
  const code = isObject(error) ? error['code'] : undefined
  if (!isObject(error) || typeof code !== 'string')
    return new HmError(status, {
      code: 'unknown',
      message: `What answered is not the service: it said ${status} and no more.`,
    })
  const { message, appAction, retryAfter } = error
  return new HmError(status, {
    code,
    message: typeof message === 'string' ? message : code,
    appAction: typeof appAction === 'string' ? appAction : null,
    retryAfter: typeof retryAfter === 'number' ? retryAfter : null,
  })
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
