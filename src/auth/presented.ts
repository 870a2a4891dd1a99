import type { PersonSession } from './persons/console-sessions.ts'

/**
 * What a request shows of who sends it: the text of a bearer token, a person's session, or nothing. A session is never
 * a text, so that none can be made up by sending one.
 */
export type Presented = string | PersonSession | null
