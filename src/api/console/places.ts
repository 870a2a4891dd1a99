import { ERRORS } from '../errors.ts'

/** The pages of the console, by the first word of their path behind `/console/`. */
export const PAGES = ['home', 'device', 'activity', 'access', 'approvals', 'system', 'rooms', 'trust', 'go'] as const

/** What errors and read-only settings send people to, as places of the console (docs/console.md#places). */
export const APP_ACTIONS: readonly string[] = [
  ...new Set(Object.values(ERRORS).flatMap((error) => ('appAction' in error ? [error.appAction] : []))),
  'integrations.approve',
  'unit.menus',
]

/** Whether a path behind `/console/` is a page: the same document for each, which shows what the path says. */
export function isPage(path: string): boolean {
  const [first = '', second = '', ...rest] = path.split('/')
  if (path === '') return true
  if (!PAGES.some((page) => page === first)) return false
  return first === 'go' ? rest.length === 0 && APP_ACTIONS.includes(second) : rest.length === 0
}
