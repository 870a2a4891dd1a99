/** Something the user should read and act on; printed without a stack. */
export class CliError extends Error {}
