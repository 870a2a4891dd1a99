/** Store or bus cannot be reached or refuse writes: 503 `relay_unavailable`. */
export class RelayUnavailable extends Error {}

/** `retryAfter` of this error. */
export const UNAVAILABLE_RETRY_SECONDS = 5
