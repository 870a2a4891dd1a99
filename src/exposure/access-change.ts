/**
 * A created, changed or ended integration or credential. Emitted after the commit and before the response, so that all
 * listeners have acted by then.
 */
export interface AccessChange {
  /** Id of the integration. */
  readonly integration: string
  /** True if the integration itself was deleted. */
  readonly deleted: boolean
}
