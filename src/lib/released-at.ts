/**
 * Time of this release, epoch ms: an earlier clock is wrong. Each release moves it forward. Machines without a battery
 * start in 1970 or at their firmware's date until a time server answers.
 */
export const RELEASED_AT = Date.UTC(2026, 10, 1)
