/** Texts about the agents of a member. */
export const words = {
  title: 'Your agents',
  end: 'End',
  endNamed: (name: string): string => `End ${name}`,
  endTitle: (name: string): string => `End ${name}?`,
  endIsFinal: 'It then has no access to this home. To connect it again, it asks for access again.',
  lastUsed: 'last used',
  neverUsed: 'never used',
  suspended: 'Suspended',
} as const
