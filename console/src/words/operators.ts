/** Texts of the tokens part of the system page. */
export const words = {
  title: 'Operator tokens',
  about: 'For monitoring and backup programs. A token allows only what you tick, and gives no access to the home.',
  none: 'There are no tokens yet.',
  make: 'Create a token',
  makeTitle: 'Create an operator token',
  nameHint: 'For example the name of the program.',
  scopes: {
    metrics: 'Read the metrics',
    backup: 'Make backups and download them, encrypted',
  },
  scopesTitle: 'Permissions',
  needsScope: 'Tick at least one permission.',
  tokenTitle: 'Store this now',
  token: 'Token',
  aboutToken:
    'You see it only once, because the gateway stores only its hash. The program sends it with every request as `Authorization: Bearer TOKEN`.',
  stored: 'I have stored it',
  usedAt: 'Last used',
  never: 'never used',
  revoke: 'Revoke',
  revokeNamed: (name: string): string => `Revoke the token ${name}`,
  revokeTitle: (name: string): string => `Revoke the token ${name}?`,
  revokeEffect: 'Its program loses access at once. You cannot undo this, but you can create a new token.',
  revoked: (name: string): string => `The token ${name} was revoked.`,
} as const
