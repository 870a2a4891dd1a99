/** Texts of the page of the signed-in person. */
export const words = {
  title: 'Your account',
  place: 'You',
  administrator: 'Administrator of this home',
  member: 'Member of this home',
  signIn: 'Sign-in',
  devices: 'Your signed-in devices',
  signOutHere: 'Sign out here',
  noAccount: 'You have no account yet. Create one to sign in next time.',
} as const
