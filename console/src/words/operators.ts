/** Texts of the part of the system page about programs that look after the gateway. */
export const words = {
  title: 'Operator tokens',
  about:
    'For programs that look after the gateway, a monitoring system for instance. Each may do what is ticked for it, and sees nothing of the home.',
  none: 'No program looks after this gateway yet.',
  make: 'Make a token',
  makeTitle: 'Make an operator token',
  nameHint: 'As you call the program that gets it.',
  scopes: {
    metrics: 'Read the metrics',
    backup: 'Make backups and fetch them, encrypted',
  },
  scopesTitle: 'What it may do',
  needsScope: 'Tick at least one thing that it may do.',
  made: 'The token, shown this once',
  aboutMade: 'The gateway keeps only a fingerprint of it. The program sends it as `Authorization: Bearer …`.',
  stored: 'I have stored it',
  usedAt: 'Last used',
  never: 'never used',
  end: 'End…',
  endNamed: (name: string): string => `End the token ${name}`,
  endTitle: (name: string): string => `End the token ${name}?`,
  ends: 'Whatever program has it is refused from now on. That cannot be taken back: it gets a new one then.',
  ended: (name: string): string => `The token ${name} has ended.`,
} as const
