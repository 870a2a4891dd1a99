/** Texts of the page of the signed-in person. */
export const words = {
  title: 'Your account',
  place: 'You',
  administrator: 'Administrator of this home',
  member: 'Member of this home',
  signIn: 'Sign-in',
  devices: 'Your signed-in devices',
  signOutHere: 'Sign out here',
  twoFactors: 'A password from a new device also needs a code from a signed-in one',
  showCode: 'Show a sign-in code',
  codeIs: 'Type this code on the other device. It works once, within five minutes.',
  noAccount: 'You have no account yet. Create one to sign in next time.',
} as const
