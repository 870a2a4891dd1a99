/** Texts of the ways in: signing in, and the name that is given after a first link. */
export const words = {
  title: 'Sign in to your home',
  usePasskey: 'Sign in with a passkey',
  or: 'or',
  ownDevice: 'This is my own device: stay signed in',
  noPasskeysHere: 'Passkeys work at the name of the gateway, not at an address:',
  noPasskeysInBrowser: 'This browser takes no passkeys.',
  passkeyGivenUp: 'No passkey came of it. Try again, or use another way.',
  passkeyIsThere: 'This device has a passkey for this gateway already.',
  byLink: 'I have a one-time link',
  link: 'Link or code',
  linkHint:
    'Whoever has a terminal on the gateway makes one with “bin/hm console”; an administrator makes one under System → Persons.',
  open: 'Open',
  byLabel: 'The gateway is new',
  label: 'Set-up code',
  labelHint: 'It stands on the label of the device, and works until somebody administers the home.',
  isItMine: 'Is this really my gateway?',
  nameless: 'You came in by a link. Give yourself a name, so that you can come back.',
  giveName: 'Give a name',
  later: 'Later',
} as const
