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
  madeTitle: 'Store this now',
  made: 'Token',
  aboutMade:
    'It is shown this once: the gateway keeps only a fingerprint of it. The program sends it with each request, in the header `Authorization` behind the word `Bearer`.',
  stored: 'I have stored it',
  usedAt: 'Last used',
  never: 'never used',
  end: 'Revoke',
  endNamed: (name: string): string => `Revoke the token ${name}`,
  endTitle: (name: string): string => `Revoke the token ${name}?`,
  ends: 'Whatever program has it is refused from now on. That cannot be taken back: it gets a new one then.',
  ended: (name: string): string => `The token ${name} is revoked.`,
} as const
