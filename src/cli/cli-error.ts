/** Something the user should read and act on; printed without a stack. */
export class CliError extends Error {
  /** What the process ends with. */
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** No gateway can be asked by whoever typed this, who has to put that right: it says nothing about a gateway. */
export class CannotAsk extends CliError {}

/** No gateway runs on the data folder: what needs none may be done all the same. */
export class NoGateway extends CliError {}
