import type { EXIT_CODES } from '../exit-codes.ts'

/** The links of the chain from this machine to a unit, in its order. */
export type Link =
  | 'login'
  | 'name'
  | 'address'
  | 'ca'
  | 'clock'
  | 'relay'
  | 'access'
  | 'exposure'
  | 'knobs'
  | 'adapter'
  | 'units'

/** What was found of one link. */
export interface Finding {
  readonly link: Link
  /** `note`: it is as it is said, and the home answers all the same. */
  readonly state: 'well' | 'note' | 'broken'
  /** One sentence. */
  readonly what: string
  /** What to do; null where nothing needs to be done. */
  readonly todo: string | null
}

/** A finding that something is broken, and what `hm doctor` ends with where it is the first. */
export interface Broken extends Finding {
  readonly exitCode: (typeof EXIT_CODES)[keyof typeof EXIT_CODES]
}

export const well = (link: Link, what: string): Finding => ({ link, state: 'well', what, todo: null })
export const note = (link: Link, what: string, todo: string | null = null): Finding => ({
  link,
  state: 'note',
  what,
  todo,
})
