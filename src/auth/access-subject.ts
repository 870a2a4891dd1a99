/**
 * What entries about administration are about: an integration that there is not, so that administrators alone ever read
 * them (docs/activity.md).
 */
export const ADMINISTRATION = { kind: 'integration', id: 'any' } as const
