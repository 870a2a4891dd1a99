/** What an integration sees and may, as one line says it. */
export const words = {
  allow_unlock: 'open locks and gates',
  automations: 'use automations',
  may: (things: string): string => `may also ${things}`,
  mayNothing: 'may do nothing else',
  read: 'read unit settings',
  read_write: 'change unit settings',
  schedules: 'use schedules',
  sees: (count: number): string => `Sees and controls ${count === 1 ? 'one device' : `${count} devices`}`,
  seesAll: 'Sees and controls the whole home',
  seesSome: 'Sees and controls part of the home',
  structural: 'rename things',
} as const
