/** What programs read of a failure beside its sentence: the fields of the Error shape (Spec 7). */
interface FailureFields {
  readonly code?: string
  readonly appAction?: string | null
  readonly retryAfter?: number | null
}

/** Something the user should read and act on; printed without a stack, with `--json` in the Error shape. */
export class CliError extends Error {
  /** What the process ends with. */
  readonly exitCode: number
  readonly code: string
  readonly appAction: string | null
  readonly retryAfter: number | null

  constructor(
    message: string,
    exitCode = 1,
    { code = 'not_done', appAction = null, retryAfter = null }: FailureFields = {},
  ) {
    super(message)
    this.exitCode = exitCode
    this.code = code
    this.appAction = appAction
    this.retryAfter = retryAfter
  }
}

/** No gateway can be asked by whoever typed this, who has to put that right: it says nothing about a gateway. */
export class CannotAsk extends CliError {
  constructor(message: string) {
    super(message, 1, { code: 'cannot_ask' })
  }
}

/** No gateway runs on the data folder: what needs none may be done all the same. */
export class NoGateway extends CliError {
  constructor(message: string) {
    super(message, 1, { code: 'no_gateway' })
  }
}
