const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`

/** Texts of the part of the system page about backups. */
export const words = {
  lastTitle: 'Backup',
  last: 'Last backup',
  none: 'none yet',
  checked: 'opened and checked',
  size: 'Size',
  next: 'Next',
  folder: 'Kept in',
  working: 'A backup is being made or checked…',
  now: 'Back up now',
  made: 'The backup was made, opened and checked.',
  madeLacking: (lacks: string): string => `The backup was made. ${lacks}`,

  phraseTitle: 'Recovery phrase',
  phraseSince: (when: string): string =>
    `There is one since ${when}. Whoever has a backup that was encrypted and these twelve words has the home.`,
  noPhrase:
    'Backups leave this machine encrypted only, and that takes a recovery phrase: twelve words, which you write down and keep where the gateway is not.',
  makePhrase: 'Make a recovery phrase…',
  makeAnother: 'Make another phrase…',
  anotherIsFor: 'A new phrase is for what is made after it: the older backups open with the older words.',
  sheetTitle: (home: string): string => `Recovery phrase of ${home}`,
  aboutSheet: (gateway: string): string =>
    `For backups of the gateway ${gateway}. Without these words nobody opens an encrypted backup. They are shown this once, and stored nowhere.`,
  until: (when: string): string => `Two of them are asked back until ${when}; only then do they hold.`,
  print: 'Print',
  written: 'I have written them down',
  showAgain: 'Show them again',
  askBack: 'To be sure that they are on paper, type two of them.',
  wordAt: (place: number): string => `Word ${place}`,
  confirm: 'These are the words',
  confirmed: 'The recovery phrase holds from now on.',

  choiceTitle: 'How backups are made',
  encrypted: 'Encrypted outside the data folder',
  history: 'With the history each night',
  aboutChoice:
    'Each night one is made, and opened and checked. Kept are those of 7 days, 4 weeks and 6 months, the newest 5 that were asked for, as many of operator tokens, and those from before the newest 3 updates.',

  listTitle: 'Backups',
  nothing: 'There is no backup yet: the first one is made by night, or now.',
  why: {
    nightly: 'by night',
    asked: 'on request',
    operator: 'by an operator token',
    'before-update': 'before an update',
  },
  isEncrypted: 'encrypted',
  withHistory: 'with history',
  withoutDamaged: 'without its history, which was damaged',
  holds: (persons: number, integrations: number, keys: number): string =>
    `${counted(persons, 'person', 'persons')}, ${counted(integrations, 'integration', 'integrations')}, ${counted(keys, 'key or agent', 'keys and agents')}`,
  check: 'Check',
  checkNamed: (when: string): string => `Check the backup of ${when}`,
  checkedNow: (home: string): string => `The backup of ${home} opens, and all in it is as it was written.`,
  download: 'Download',
  downloadNamed: (when: string): string => `Download the backup of ${when}`,
  downloadNeeds: 'A download takes a recovery phrase: make one above.',
  restore: 'Restore…',
  restoreNamed: (when: string): string => `Restore the backup of ${when}`,

  restoreTitle: (when: string): string => `Restore the backup of ${when}?`,
  reading: 'Opening the backup…',
  restoreHolds: (home: string, when: string, holds: string): string => `It holds ${home} as of ${when}: ${holds}.`,
  oldHistory: 'The history stays as it is now: it is not in this backup.',
  newHistory: (isInIt: boolean): string =>
    isInIt
      ? 'The history of now gives way to that of the backup.'
      : 'The history of now gives way: none is in this backup.',
  another: 'What is here now is another home: it gives way, and so does its certificate.',
  aside: (folder: string): string => `What is here now is kept aside on the gateway, in ${folder}.`,
  lost: (names: readonly string[]): string =>
    `${counted(names.length, 'key or agent was', 'keys and agents were')} made since, and will end: ${names.join(', ')}`,
  ended: (names: readonly string[]): string =>
    `${counted(names.length, 'key or agent has', 'keys and agents have')} ended since: ${names.join(', ')}`,
  revive: 'Let these live again',
  startsAnew: 'The gateway starts anew. Whoever has signed in since the backup signs in again.',
  otherPhrase: 'Its recovery phrase, where it is another than that of now',
  lookAgain: 'Look again',
  typeName: (home: string): string => `To restore, type the name of this home: ${home}`,
  doRestore: 'Restore this backup',
  restarts: 'The gateway puts the backup in its place and starts anew. This page goes on by itself.',

  restoreFileTitle: (name: string): string => `Restore ${name}?`,
  nobody: 'Nobody administers the home by name afterwards: `bin/hm console` on the gateway makes a link.',
  passwordsSame: (names: readonly string[]): string => `These sign in as before: ${names.join(', ')}`,
  passwordsThen: (names: readonly string[]): string =>
    `These sign in with the password that they had when the backup was made: ${names.join(', ')}`,
  passwordsNone: (names: readonly string[]): string =>
    `These have no password then, and sign in by passkey or link: ${names.join(', ')}`,
  lostPersons: (names: readonly string[]): string => `These were added since, and will be gone: ${names.join(', ')}`,
  phraseFrom: {
    now: (): string => 'The recovery phrase of now goes on to hold.',
    backup: (since: string): string => `The recovery phrase of the backup holds again, which was made on ${since}.`,
    none: (): string => 'There is no recovery phrase afterwards: make one.',
  },
  isRestoring: 'Restoring…',
  restartTitle: 'The home is being restored',
  otherAuthority:
    'The gateway then shows the certificate of the restored home. Where this page does not come back, load it again; a browser that does not know that certificate warns once.',
  restored: (home: string, when: string): string => `${home} is restored as it was on ${when}.`,
  signInAsThen: (restored: string): string =>
    `${restored} Names and passwords are those of then; where nobody knows one, \`bin/hm console\` on the gateway makes a link.`,

  fileTitle: 'From another machine',
  aboutFile: 'A backup that lies on this device, a file that ends in .hmb, can take the place of this home.',
  fromFile: 'Restore from a file…',
  bringTitle: 'Restore from a file',
  aboutBringing:
    'The gateway takes the file, opens it, and says what is in it and what would end. Nothing is changed before you say so.',
  file: 'Backup (.hmb)',
  bring: 'Look into it',
  sending: 'Sent to the gateway',
  sent: (sent: string, all: string): string => `${sent} of ${all}`,
} as const
