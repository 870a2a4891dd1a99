import { ERRORS } from '../wire/errors.ts'

/** The pages of the console, by the first word of their path behind `/console/`. */
export const PAGES = ['home', 'device', 'activity', 'access', 'approvals', 'system', 'rooms', 'trust', 'go'] as const

/** What errors and read-only settings send people to, as places of the console (docs/console.md#places). */
export const APP_ACTIONS: readonly string[] = [
  ...new Set(Object.values(ERRORS).flatMap((error) => ('appAction' in error ? [error.appAction] : []))),
  'integrations.approve',
  'unit.menus',
]

/**
 * Whether a path behind `/console/` is a page: the same document for each, which shows what the path says. An appAction
 * that is none here gets it too, so that whoever follows a link of a newer client is told in the page.
 */
export function isPage(path: string): boolean {
  const [first = '', , ...rest] = path.split('/')
  return path === '' || (PAGES.some((page) => page === first) && rest.length === 0)
}
