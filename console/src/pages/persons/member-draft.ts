import type { PersonsCreateBody } from '../../lib/admin-contract.ts'
import type { Doors } from '../access/doors-editor.tsx'
import type { Picks } from '../access/picking.ts'
import type { Times } from '../access/times-editor.tsx'

type MemberBody = NonNullable<PersonsCreateBody['member']>

/** The record of a new member, before its creation. */
export interface MemberDraft {
  readonly isAll: boolean
  readonly picks: Picks
  readonly doors: Doors
  readonly people: NonNullable<MemberBody['people']>
  /** False: settings of units are hidden. */
  readonly seesSettings: boolean
  readonly until: Times['until']
  readonly hours: Times['hours']
}

/** Kinds of members. The gateway knows only the members; the kinds are beginnings of a record. */
export type MemberKind = 'member' | 'child' | 'guest'

const ALWAYS: Times = { until: null, hours: [] }

/**
 * Beginnings of a record, as in `bin/hm person add`. Doors open only by a choice of the administrator; a
 * child sees them and may lock them.
 */
export const TEMPLATES: Readonly<Record<MemberKind, MemberDraft>> = {
  member: { isAll: true, picks: new Set(), doors: 'no', people: 'each', seesSettings: true, ...ALWAYS },
  child: { isAll: true, picks: new Set(), doors: 'no', people: 'anyone', seesSettings: false, ...ALWAYS },
  guest: { isAll: false, picks: new Set(), doors: 'no', people: 'none', seesSettings: true, ...ALWAYS },
}

/** Sees nothing of the home until an administrator picks. */
const NOTHING = 'nothing'

/** The picks as the gateway takes them. */
export const exposeOf = ({ isAll, picks }: Pick<MemberDraft, 'isAll' | 'picks'>): string[] =>
  isAll ? ['all'] : picks.size === 0 ? [NOTHING] : [...picks]

/** The record as the gateway takes it. */
export function memberBody({ doors, people, seesSettings, until, hours, ...sees }: MemberDraft): MemberBody {
  return {
    expose: exposeOf(sees),
    people,
    until,
    hours,
    ...(doors !== 'no' && { opening: doors }),
    settings: { ...(doors !== 'no' && { allow_unlock: 'on' }), ...(!seesSettings && { advanced_config: 'off' }) },
  }
}
