/**
 * The store or the bus of the relay cannot be reached or takes nothing: 503 `relay_unavailable`. Nothing was changed as
 * far as is known.
 */
export class RelayUnavailable extends Error {}

/** Seconds after which a client tries again. */
export const UNAVAILABLE_RETRY_SECONDS = 5
