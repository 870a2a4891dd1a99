import { ERRORS } from '../../../src/wire/errors.ts'

/** Places of the console to which errors and read-only settings send people (docs/console.md#places). */
export const APP_ACTIONS: readonly string[] = [
  ...new Set(Object.values(ERRORS).flatMap((error) => ('appAction' in error ? [error.appAction] : []))),
  'integrations.approve',
  'unit.menus',
]
