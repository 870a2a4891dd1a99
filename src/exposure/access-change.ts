/**
 * An integration, or a credential of it, was made, changed or ended. Emitted after the commit and before whoever asked for the
 * change gets an answer, so that no listener acts on what was.
 */
export interface AccessChange {
  /** Id of the integration. */
  readonly integration: string
  /** Whether the integration itself is gone. */
  readonly deleted: boolean
}
