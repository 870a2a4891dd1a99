const quoted = (names: readonly string[]): string => names.map((name) => `“${name}”`).join(', ')

/** `90 s`, `5 min`, `5 min 30 s`. */
const spanOf = (seconds: number): string => {
  const [minutes, left] = [Math.floor(seconds / 60), Math.round(seconds % 60)]
  return [...(minutes > 0 ? [`${minutes} min`] : []), ...(left > 0 || minutes === 0 ? [`${left} s`] : [])].join(' ')
}

/** Texts about what waits for a person's word: agents that ask for access, and openings to be confirmed. */
export const words = {
  accept: 'Accept',
  accepted: (name: string): string => `“${name}” is let in. It fetches its access by itself now.`,
  account: (account: string): string => `the account ${account} of the relay`,
  add: 'Give it one more beside that',
  all: 'See all',
  asksForAccess: (who: string): string => `${who} asks for access`,
  blocked: 'Turned away for a day',
  blockedUntil: (until: string): string => `until ${until}`,
  choose: 'Choose…',
  code: 'Matching code',
  compare: 'It calls itself so. Accept only if somebody shows you this very code now.',
  confirmed: 'Confirmed. The agent may make this very call once, within two minutes.',
  confirmOnce: 'Confirm once',
  decline: 'Decline',
  declined: 'Declined. The agent is refused this call for five minutes.',
  denied: (name: string): string => `“${name}” was turned down.`,
  deniedAndBlocked: (name: string): string => `“${name}” was turned down, and its sender is not heard for a day.`,
  deny: 'Deny',
  denyAndBlock: 'Deny and block',
  digits: 'Digits',
  digitsHelp: 'Confirm it here, or tell the digits to whoever speaks with the agent. The agent is never shown them.',
  empty: 'Nobody waits for your answer. Agents that ask for access, and openings that need you, appear here.',
  entrance: (kind: string, name: string): string => `${kind} “${name}”`,
  forAccount: 'Asks for',
  from: 'Comes from',
  fromCloud: (peer: string): string => `${peer}, through the relay`,
  fromHome: (peer: string): string => `${peer}, in your network`,
  goesTo: 'Answer goes to',
  hadBefore: 'It has access already',
  hearAgain: 'Hear again',
  heardAgain: (address: string): string => `Requests from ${address} are heard again.`,
  integration: 'Gets in through',
  knownAs: (id: string): string => `${id} in this home, whatever its name`,
  left: (time: string): string => `${time} left`,
  look: 'Look',
  named: (id: string): string => `${id}, whose owner stands behind the name`,
  namedBy: 'Named by',
  namedItself: 'itself: anybody could have. Go by where the answer goes, and by the code.',
  noIntegration: (hosted: boolean): string =>
    `No integration takes this agent: it needs one that is enabled and has agent access${hosted ? ' and cloud access' : ''} on.`,
  onlySession: 'Only for this session',
  openedAfter: (seconds: number): string => `after ${spanOf(seconds)}`,
  opens: 'Opens',
  over: 'time is over',
  replace: (label: string): string => `Replace “${label}”`,
  several: (count: number): string => `${count} requests wait for your answer`,
  through: 'Through',
  title: 'Approvals',
  toAccess: 'To the integrations',
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
