/**
 * When this release was made, epoch ms: no clock that shows an earlier time is right. Moved forward with every release.
 * Machines without a battery start in 1970 or at their firmware's birthday until a time server answers.
 */
export const RELEASED_AT = Date.UTC(2026, 10, 1)
