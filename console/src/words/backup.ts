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
    asked: 'asked for',
    operator: 'by an operator token',
    'before-update': 'before an update',
  },
  isEncrypted: 'encrypted',
  withHistory: 'with history',
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
  restoreHolds: (home: string, holds: string): string => `It holds ${home}: ${holds}.`,
  oldHistory: 'The history stays as it is now: it is not in this backup.',
  newHistory: 'The history of now gives way to that of the backup.',
  another: 'What is here now is another home.',
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
  restarts: 'The gateway puts the backup in its place and starts anew. Load this page again in a moment.',
} as const
