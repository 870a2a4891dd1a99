const quoted = (names: readonly string[]): string => names.map((name) => `“${name}”`).join(', ')

/** `90 s`, `5 min`, `5 min 30 s`. */
const spanOf = (seconds: number): string => {
  const [minutes, left] = [Math.floor(seconds / 60), Math.round(seconds % 60)]
  return [...(minutes > 0 ? [`${minutes} min`] : []), ...(left > 0 || minutes === 0 ? [`${left} s`] : [])].join(' ')
}

/** Texts about approvals: agents' requests for access, and openings of locks and gates. */
export const words = {
  accept: 'Accept',
  accepted: (name: string): string => `“${name}” now has access. It connects by itself.`,
  account: (account: string): string => `the account ${account} of the relay`,
  add: 'Add a further credential',
  all: 'See all',
  asksForAccess: (who: string): string => `${who} asks for access`,
  blocked: 'Blocked for a day',
  blockedUntil: (until: string): string => `until ${until}`,
  choose: 'Choose…',
  code: 'Matching code',
  compare: 'Anybody can use this name. Accept only if the agent shows you the same code now.',
  confirmed: 'Confirmed. The agent may do this once, within two minutes.',
  confirmOnce: 'Confirm once',
  decline: 'Decline',
  declined: 'Declined. The agent cannot ask for this again for five minutes.',
  denied: (name: string): string => `“${name}” was denied.`,
  deniedAndBlocked: (name: string): string => `“${name}” was denied, and its address is blocked for a day.`,
  deny: 'Deny',
  denyAndBlock: 'Deny and block',
  digits: 'Digits',
  digitsHelp: 'Confirm here, or give these digits to the person who uses the agent. The agent never sees them.',
  empty: 'No requests. Agents that ask for access or want to open a lock appear here.',
  entrance: (kind: string, name: string): string => `${kind} “${name}”`,
  forAccount: 'Asks for',
  from: 'Comes from',
  fromCloud: (peer: string): string => `${peer}, through the relay`,
  fromHome: (peer: string): string => `${peer}, in your network`,
  goesTo: 'Answer goes to',
  hadBefore: 'It already has access',
  unblock: 'Unblock',
  unblocked: (address: string): string => `${address} is unblocked.`,
  integration: 'Connects through',
  knownAs: (id: string): string => `${id} in this home; its name may have changed`,
  left: (time: string): string => `${time} left`,
  look: 'Look',
  named: (id: string): string => `${id}, whose owner has proved the name`,
  namedBy: 'Named by',
  namedItself: 'itself, without proof. Check where the answer goes, and the code.',
  noIntegration: (hosted: boolean): string =>
    `This agent needs an enabled integration with Agents${hosted ? ' and From outside' : ''} on. There is none yet.`,
  onlySession: 'Only for this session',
  openedAfter: (seconds: number): string => `after ${spanOf(seconds)}`,
  opens: 'Opens',
  over: 'expired',
  replace: (label: string): string => `Replace “${label}”`,
  several: (count: number): string => `${count} requests wait for your answer`,
  through: 'Through',
  title: 'Approvals',
  toAccess: 'Open integrations',
  via: (name: string, platform: string): string => (platform === '' ? `“${name}”` : `“${name}” via ${platform}`),
  waiting: 'Waiting for your answer',
  wants: (label: string, what: string): string => `${label} wants to ${what}`,
  wantsToOpen: (label: string, names: readonly string[]): string => `${label} wants to open ${quoted(names)}`,
  wantsToRun: (label: string, scene: string, names: readonly string[]): string =>
    `${label} wants to run “${scene}”, which opens ${quoted(names)}`,
  wouldLike: 'Would like',
  wouldSee: (things: string): string => `to see ${things}`,
  wouldSeeAll: 'to see everything',
} as const
