/**
 * An integration, or a credential of it, was made, changed or ended. Emitted after the commit and before the caller
 * that asked for the change gets its answer, so that every listener has acted on it by then.
 */
export interface AccessChange {
  /** Id of the integration. */
  readonly integration: string
  /** Whether the integration itself is gone. */
  readonly deleted: boolean
}
