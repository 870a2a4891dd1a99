import { requirementsOf, type Requirement } from './requirement.ts'

/**
 * Requirements of the pages of the console. They need a browser and a gateway with the simulated house, so `npm run
 * test:long` tests them.
 */
export const PAGES: readonly Requirement[] = requirementsOf('docs/console.md', [
  [
    'console.everybody',
    'none',
    'Every page and dialog is without a fault for axe, light and dark, on a desk and on a phone, and scrolls to no side.',
  ],
  [
    'console.forced-colours',
    'none',
    'Where the system gives all colours, on and off, chosen and not chosen are still told apart.',
  ],
  ['console.narrow', 'none', 'On a phone everything that can be chosen is there by its name, or told to be there.'],
  ['console.names', 'none', 'No name of anything runs on a page, or makes it wider than its screen.'],
  ['console.addresses', 'none', 'Every address shows a page, and one that is mistyped or made up says so.'],
  ['console.policy', 'none', 'No page breaks its own policy, and a breach would be seen.'],
  ['console.keyboard', 'none', 'The most common actions work by keyboard alone.'],
  ['console.alarms', 'none', 'An alarm is named on every page, and on its tile, until the unit reports its end.'],
  ['console.messages', 'none', 'Every page shows messages with a button that acknowledges them, and a page lists all.'],
  [
    'console.push',
    'none',
    'A switch lets a device get messages, its worker shows each, and other browsers say why not.',
  ],
  ['console.presence', 'none', 'The home page lists the changes of each presence in 7 days, with their sources.'],
  ['console.mode', 'none', 'Two clicks set the mode of the home with its end, and the page shows both.'],
  ['console.confirmed', 'none', 'Pages show the confirmed state, and mark a pending request as such.'],
  ['console.entrances', 'none', 'A door is opened by holding or by pressing Enter twice, never by a click.'],
  [
    'console.deliberate',
    'none',
    'Only a deliberate release sends a command: a swipe, a second finger, a menu or a hidden tab sends none.',
  ],
  ['console.still', 'none', 'No tile moves by itself after it appeared, while a page is loaded or news comes.'],
  ['console.since', 'none', 'A tile says since when its state holds, also where a unit confirmed it again.'],
  ['console.padlock', 'none', 'An unlocked door has an open padlock in a warm colour wherever it is shown.'],
  ['console.back', 'none', 'The page of a gateway that cannot be reached tries again by itself until it can.'],
  ['console.why', 'none', 'The page of a device explains its state and lists its users and viewers.'],
  ['console.silent', 'none', 'A unit that does not answer says so wherever it is shown, and is back by itself.'],
  ['console.incidents', 'none', 'Incidents of the gateway are shown until somebody has read them.'],
  ['console.jumps', 'none', 'A jump of a counter is answered under System, with one press.'],
  ['console.new-ca', 'none', 'After a new CA no page calls the gateway verified, and the new fingerprint is compared.'],
  [
    'console.verified',
    'none',
    'A browser that has the CA opens name and address without a warning; else pages say so.',
  ],
  ['console.relay', 'none', 'A relay is connected, linked and left from its page, which says how it is.'],
  [
    'console.approvals',
    'none',
    'An agent that asks stands on every open console, and the word on one clears the others.',
  ],
  ['console.openings', 'none', 'An opening is confirmed once or declined; the page shows its locks and digits.'],
  ['console.picked', 'none', 'The picks saved in the tree are the view of a key; a preview shows their effect.'],
  ['console.conflicts', 'none', 'Changes that somebody else saved meanwhile are shown and never overwritten.'],
  ['console.old', 'none', 'Without a connection nothing is called well, and values stay with their age.'],
  ['console.log', 'none', 'Events appear live with their cause, and wait while somebody reads.'],
  [
    'console.restarts',
    'none',
    'A page outlives a restart of the gateway, also a restore: typed text stays, and the page continues by itself.',
  ],
  [
    'console.way-back',
    'none',
    'An account needs a password or passkey with its name; the page asks until there is one.',
  ],
  ['console.unstored', 'none', 'Revocations while the disk accepts no writes are shown as waiting for the disk.'],
  ['console.others', 'none', 'Sessions and persons of others show by themselves, and each is ended from its page.'],
])
