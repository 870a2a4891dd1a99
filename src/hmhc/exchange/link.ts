import { type BootReason, type Frame, type NakReason, type DiscardReason, DISCARD_REASONS } from '../frame/frame.ts'
import type { Transition } from './machine.ts'

/**
 * The link of docs/hmhc.md section 1 as a pure function from state and input to next state and actions. Timers, the
 * line and randomness are the caller's, so every path can be tested as a table.
 */

/** Version bytes: 1 is HMHC 1.0, 2 is HMHC 1.1 (docs/hmhc.md 1.3). */
const VERSION_LEAST = 1
const VERSION_MOST = 2
export const ACK_WAIT_MS = 250
export const SENDS_MAX = 3
export const RESET_WAIT_MS = 300
export const RESETS_MAX = 10
/** Time without a valid frame until the first ping: each ping wakes a resting home several times. */
const QUIET_MS = 500
const PING_WAIT_MS = 150
/** Number of unanswered pings after which the adapter counts as silent. */
export const PINGS_MAX = 3
const NAK_PAUSE_MS = 100
/** Number of consecutive frames out of sequence after which the session counts as lost. */
const ASTRAY_MAX = 4

interface Outstanding {
  readonly payload: Uint8Array
  readonly sends: number
  readonly sendsMax: number
}

export type LinkState =
  | { readonly at: 'closed' }
  | { readonly at: 'resetting'; readonly session: number; readonly host: number; readonly tries: number }
  | OpenLink

interface OpenLink {
  readonly at: 'open'
  readonly session: number
  readonly sendSeq: number
  readonly receiveSeq: number
  readonly outstanding: Outstanding | null
  /** Pings since the last valid frame. */
  readonly unanswered: number
  readonly pings: number
  readonly astray: number
  readonly nakPaused: boolean
}

export type LinkInput =
  /** Begins a session on an open line. @see docs/hmhc.md 1.3 */
  | { readonly is: 'begin'; readonly session: number; readonly host: number }
  | { readonly is: 'end' }
  | { readonly is: 'frame'; readonly frame: Frame }
  /** Invalid bytes. */
  | { readonly is: 'damaged' }
  /** Sends one payload; allowed only while none is outstanding. */
  | { readonly is: 'send'; readonly payload: Uint8Array; readonly sendsMax: number }
  | { readonly is: 'late'; readonly timer: LinkTimer }

const LINK_TIMERS = ['ack', 'reset', 'watch', 'nak'] as const
export type LinkTimer = (typeof LINK_TIMERS)[number]
/**
 * Reason for the end of a session: no valid frame, no ACK, ERROR from the adapter, out of sequence, no RSTACK, an
 * unknown version.
 */
export type LossReason = 'silent' | 'unacknowledged' | 'error' | 'sequence' | 'no_answer' | 'version'

export type LinkEffect =
  | { readonly do: 'write'; readonly frame: Frame }
  | { readonly do: 'timer'; readonly timer: LinkTimer; readonly ms: number }
  | { readonly do: 'cancel'; readonly timer: LinkTimer }
  | { readonly do: 'opened'; readonly boot: number; readonly bootReason: BootReason; readonly version: number }
  | { readonly do: 'acked' }
  | { readonly do: 'deliver'; readonly payload: Uint8Array }
  | { readonly do: 'lost'; readonly reason: LossReason }
  | { readonly do: 'count'; readonly what: LinkCount }

const LINK_COUNTS = [
  'duplicates',
  'outOfSequence',
  'retries',
  'naksSent',
  'naksReceived',
  'ackTimeouts',
  'resets',
  'strays',
] as const
type LinkCount = (typeof LINK_COUNTS)[number]

type LinkStep = Transition<LinkState, LinkEffect>

export const CLOSED: LinkState = { at: 'closed' }

const count = (what: LinkCount): LinkEffect => ({ do: 'count', what })
const write = (frame: Frame): LinkEffect => ({ do: 'write', frame })
const stay = (state: LinkState, ...effects: LinkEffect[]): LinkStep => ({ state, effects })
const WATCH: LinkEffect = { do: 'timer', timer: 'watch', ms: QUIET_MS }
const CANCEL_ALL: readonly LinkEffect[] = LINK_TIMERS.map((timer) => ({ do: 'cancel', timer }))
const lost = (reason: LossReason): LinkStep => ({ state: CLOSED, effects: [...CANCEL_ALL, { do: 'lost', reason }] })
const next = (seq: number): number => (seq + 1) & 0xff

export function stepLink(state: LinkState, input: LinkInput): LinkStep {
  if (input.is === 'begin')
    return reset({ at: 'resetting', session: input.session, host: input.host, tries: 0 }, CANCEL_ALL)
  if (input.is === 'end') return { state: CLOSED, effects: CANCEL_ALL }
  switch (state.at) {
    case 'closed':
      return stay(state)
    case 'resetting':
      return stepResetting(state, input)
    case 'open':
      return stepOpen(state, input)
  }
}

type Resetting = Extract<LinkState, { readonly at: 'resetting' }>

function reset(state: Resetting, before: readonly LinkEffect[] = []): LinkStep {
  const { host, tries } = state
  // Each attempt has its own session: a late RSTACK to an earlier one may predate a restart of the adapter.
  const session = tries === 0 ? state.session : (state.session % 0xffff) + 1
  if (tries === RESETS_MAX) return lost('no_answer')
  const rst = write({ kind: 'rst', session, seq: 0, version: VERSION_MOST, host })
  return {
    state: { ...state, session, tries: tries + 1 },
    effects: [...before, count('resets'), rst, { do: 'timer', timer: 'reset', ms: RESET_WAIT_MS }],
  }
}

function stepResetting(state: Resetting, input: LinkInput): LinkStep {
  if (input.is === 'late' && input.timer === 'reset') return reset(state)
  if (input.is !== 'frame' || input.frame.kind !== 'rstack' || input.frame.session !== state.session) return stay(state)
  const { version, boot, bootReason } = input.frame
  if (version < VERSION_LEAST || version > VERSION_MOST) return lost('version')
  const open: OpenLink = {
    at: 'open',
    session: state.session,
    sendSeq: 0,
    receiveSeq: 0,
    outstanding: null,
    unanswered: 0,
    pings: 0,
    astray: 0,
    nakPaused: false,
  }
  return stay(open, { do: 'cancel', timer: 'reset' }, WATCH, { do: 'opened', boot, bootReason, version })
}

function stepOpen(state: OpenLink, input: LinkInput): LinkStep {
  switch (input.is) {
    case 'send':
      return send(state, { payload: input.payload, sends: 0, sendsMax: Math.min(input.sendsMax, SENDS_MAX) })
    case 'damaged':
      return nak(state, 'damaged')
    case 'frame':
      if (input.frame.kind === 'error') return lost('error')
      return input.frame.session === state.session ? alive(state, input.frame) : stay(state, count('strays'))
    case 'late':
      return late(state, input.timer)
    case 'begin':
    case 'end':
      return stay(state)
  }
}

function late(state: OpenLink, timer: LinkTimer): LinkStep {
  switch (timer) {
    case 'ack':
      return resend(state, count('ackTimeouts'))
    case 'watch':
      return watch(state)
    case 'nak':
      return stay({ ...state, nakPaused: false })
    case 'reset':
      return stay(state)
  }
}

/**
 * The watch counts its pings, not time: a process that stalled for a second must not declare its adapter silent.
 */
function watch(state: OpenLink): LinkStep {
  if (state.unanswered === PINGS_MAX) return lost('silent')
  const ping = write({ kind: 'ping', session: state.session, seq: state.pings })
  const again: LinkEffect = { do: 'timer', timer: 'watch', ms: PING_WAIT_MS }
  return stay({ ...state, unanswered: state.unanswered + 1, pings: next(state.pings) }, ping, again)
}

function send(state: OpenLink, outstanding: Outstanding): LinkStep {
  const { session, sendSeq } = state
  const frame = write({ kind: 'data', session, seq: sendSeq, payload: outstanding.payload })
  return stay({ ...state, outstanding: { ...outstanding, sends: outstanding.sends + 1 } }, frame, {
    do: 'timer',
    timer: 'ack',
    ms: ACK_WAIT_MS,
  })
}

function resend(state: OpenLink, why: LinkEffect): LinkStep {
  const { outstanding } = state
  if (outstanding === null) return stay(state)
  if (outstanding.sends >= outstanding.sendsMax) {
    // The last attempt still has its full timeout, even after a NAK.
    return why.do === 'count' && why.what === 'ackTimeouts' ? lost('unacknowledged') : stay(state, why)
  }
  const { state: sent, effects } = send(state, outstanding)
  return { state: sent, effects: [why, count('retries'), ...effects] }
}

function nak(state: OpenLink, reason: NakReason): LinkStep {
  if (state.nakPaused) return stay(state)
  const frame = write({ kind: 'nak', session: state.session, seq: state.receiveSeq, reason })
  return stay({ ...state, nakPaused: true }, count('naksSent'), frame, { do: 'timer', timer: 'nak', ms: NAK_PAUSE_MS })
}

function alive(state: OpenLink, frame: Frame): LinkStep {
  const { state: after, effects } = onFrame({ ...state, unanswered: 0 }, frame)
  return { state: after, effects: [WATCH, ...effects] }
}

function onFrame(state: OpenLink, frame: Frame): LinkStep {
  switch (frame.kind) {
    case 'data':
      return receive(state, frame.seq, frame.payload)
    case 'ack':
      if (state.outstanding === null || frame.seq !== state.sendSeq) return stay(state, count('strays'))
      return stay(
        { ...state, outstanding: null, sendSeq: next(state.sendSeq) },
        { do: 'cancel', timer: 'ack' },
        { do: 'acked' },
      )
    case 'nak':
      if (state.outstanding === null || frame.seq !== state.sendSeq) return stay(state, count('naksReceived'))
      return resend(state, count('naksReceived'))
    case 'pong':
      return stay(state)
    // The first two come from hosts; a late RSTACK of this session contains nothing new.
    case 'rst':
    case 'ping':
    case 'rstack':
    case 'error':
      return stay(state, count('strays'))
  }
}

function receive(state: OpenLink, seq: number, payload: Uint8Array): LinkStep {
  const ack = write({ kind: 'ack', session: state.session, seq })
  if (seq === state.receiveSeq)
    return stay({ ...state, receiveSeq: next(seq), astray: 0 }, ack, { do: 'deliver', payload })
  if (next(seq) === state.receiveSeq) return stay(state, count('duplicates'), ack)
  if (state.astray + 1 >= ASTRAY_MAX) return lost('sequence')
  const { state: complained, effects } = nak({ ...state, astray: state.astray + 1 }, 'sequence')
  return { state: complained, effects: [count('outOfSequence'), ...effects] }
}

/** Line counters since the start, for the status page and for finding bad cables. */
const OWN_COUNTS = [
  'bytesIn',
  'bytesOut',
  'framesIn',
  'framesOut',
  'discardedBytes',
  'unsoundMessages',
  'implausibleReports',
  'lateReplies',
  'linesOpened',
  'sessions',
  'sessionsLost',
  'requests',
  'done',
  'noAnswer',
  'refused',
  'unknownUnit',
  'busy',
  'unavailable',
  'collapsed',
  'failedFast',
  'reports',
] as const
type OwnCount = (typeof OWN_COUNTS)[number]
export type Count = OwnCount | LinkCount | DiscardReason

export class LinkCounters {
  // fromEntries loses the key type; the keys are exactly the listed ones.
  readonly #counts = Object.fromEntries(
    [...OWN_COUNTS, ...LINK_COUNTS, ...DISCARD_REASONS].map((name) => [name, 0]),
  ) as Record<Count, number>

  add(name: Count, amount = 1): void {
    this.#counts[name] += amount
  }

  /** A copy of the counters. */
  all(): Readonly<Record<Count, number>> {
    return { ...this.#counts }
  }
}
