const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`

/** Texts of the backup part of the system page. */
export const words = {
  lastTitle: 'Backup',
  last: 'Last backup',
  none: 'none yet',
  checked: 'verified',
  size: 'Size',
  next: 'Next',
  folder: 'Folder',
  working: 'Making or checking a backup…',
  now: 'Back up now',
  made: 'The backup was made and checked.',
  madeLacking: (lacks: string): string => `The backup was made. ${lacks}`,

  phraseTitle: 'Recovery phrase',
  phraseSince: (when: string): string =>
    `Your recovery phrase dates from ${when}. Anyone with these twelve words and an encrypted backup has access to your home’s data.`,
  noPhrase:
    'To download backups, create a recovery phrase first. It has twelve words. Write them down, and keep them away from the gateway.',
  makePhrase: 'Create a recovery phrase…',
  makeAnother: 'Create a new phrase…',
  anotherIsFor: 'A new phrase protects only new backups. Older backups still need the old words.',
  sheetTitle: (home: string): string => `Recovery phrase of ${home}`,
  aboutSheet: (gateway: string): string =>
    `For backups of the gateway ${gateway}. Nobody can open an encrypted backup without these words. You see them only once, and they are stored nowhere.`,
  phraseUntil: (when: string): string => `Type two of the words before ${when} to activate the phrase.`,
  print: 'Print',
  written: 'I have written them down',
  showAgain: 'Show them again',
  checkWords: 'Type two of the words, to check that you have them on paper.',
  wordAt: (place: number): string => `Word ${place}`,
  confirm: 'Activate the phrase',
  confirmed: 'The recovery phrase is active.',

  choiceTitle: 'Backup settings',
  encrypted: 'Encrypt backups outside the data folder',
  history: 'Include the history every night',
  aboutChoice:
    'The gateway makes and checks a backup every night. It keeps 7 daily, 4 weekly and 6 monthly backups, the newest 5 on request, 5 by operator tokens, and those before the last 3 updates.',

  listTitle: 'Backups',
  nothing: 'There is no backup yet. Make one now, or wait for the night.',
  why: {
    nightly: 'nightly',
    asked: 'on request',
    operator: 'by an operator token',
    'before-update': 'before an update',
  },
  isEncrypted: 'encrypted',
  withHistory: 'with history',
  withoutDamaged: 'without history, because it was damaged',
  counts: (persons: number, integrations: number, keys: number): string =>
    `${counted(persons, 'person', 'persons')}, ${counted(integrations, 'integration', 'integrations')}, ${counted(keys, 'key or agent', 'keys and agents')}`,
  check: 'Check',
  checkNamed: (when: string): string => `Check the backup of ${when}`,
  checkedNow: (home: string): string => `The backup of ${home} is intact.`,
  download: 'Download',
  downloadNamed: (when: string): string => `Download the backup of ${when}`,
  downloadNeeds: 'To download a backup, create a recovery phrase above.',
  restore: 'Restore…',
  restoreNamed: (when: string): string => `Restore the backup of ${when}`,

  restoreTitle: (when: string): string => `Restore the backup of ${when}?`,
  reading: 'Opening the backup…',
  restoreHolds: (home: string, when: string, holds: string): string => `It holds ${home} as of ${when}: ${holds}.`,
  oldHistory: 'The current history stays, because the backup has none.',
  newHistory: (isInIt: boolean): string =>
    isInIt
      ? 'The history of the backup replaces the current one.'
      : 'The current history is removed, and the backup has none.',
  another: 'The backup is of another home. It replaces this home and its certificate.',
  aside: (folder: string): string => `The gateway moves the current data to ${folder}.`,
  lost: (names: readonly string[]): string =>
    `${counted(names.length, 'newer key or agent', 'newer keys and agents')} will stop working: ${names.join(', ')}`,
  ended: (names: readonly string[]): string =>
    `${counted(names.length, 'key or agent was', 'keys and agents were')} revoked after the backup: ${names.join(', ')}`,
  revive: 'Activate these again',
  startsAnew: 'The gateway restarts. People who signed in after the backup must sign in again.',
  otherPhrase: 'Recovery phrase of this backup',
  lookAgain: 'Open the backup',
  typeName: (home: string): string => `To restore, type the name of this home: ${home}`,
  doRestore: 'Restore this backup',
  restarts: 'The gateway restores the backup and restarts. This page continues by itself.',

  restoreFileTitle: (name: string): string => `Restore ${name}?`,
  nobody: 'The home will have no administrator. To sign in, create a link on the gateway’s terminal.',
  passwordsSame: (names: readonly string[]): string => `Same password as now: ${names.join(', ')}`,
  passwordsThen: (names: readonly string[]): string => `Password from the time of the backup: ${names.join(', ')}`,
  passwordsNone: (names: readonly string[]): string => `No password, sign-in by passkey or link: ${names.join(', ')}`,
  lostPersons: (names: readonly string[]): string => `Added after the backup, will be removed: ${names.join(', ')}`,
  phraseFrom: {
    now: (): string => 'Your current recovery phrase stays valid.',
    backup: (since: string): string => `The backup’s recovery phrase of ${since} becomes valid again.`,
    none: (): string => 'The home will have no recovery phrase. Create one afterwards.',
  },
  isRestoring: 'Restoring…',
  restartTitle: 'Restoring the home',
  otherAuthority:
    'The gateway will use the certificate of the restored home. If this page does not come back, reload it. A browser without that CA warns once.',
  restored: (home: string, when: string): string => `${home} was restored to its state of ${when}.`,
  signInAsThen: (restored: string): string =>
    `${restored} Use a name and password from that time. If you have none, create a link on the gateway’s terminal.`,

  fileTitle: 'From another machine',
  aboutFile: 'You can restore a backup file (.hmb) from this device. It replaces this home.',
  fromFile: 'Restore from a file…',
  uploadTitle: 'Restore from a file',
  aboutUpload:
    'The gateway opens the file and shows its contents and the consequences. It changes nothing before you confirm.',
  file: 'Backup (.hmb)',
  upload: 'Upload and open',
  sending: 'Uploading',
  sentBytes: (sent: string, all: string): string => `${sent} of ${all}`,
} as const
