import type { BootReason } from '../frame/frame.ts'
import type { Hello } from '../message/messages.ts'
import { RESET_WAIT_MS, type LossReason } from './link.ts'
import type { Transition } from './machine.ts'

/**
 * The session with the adapter as a pure function, above the link. It decides when requests may go, which ones survive
 * a broken session, and when no request can be sent at all. Requests, timers and the link are the caller's.
 */

/** A shorter break of the session, or a newly opened line, does not count as down; requests wait meanwhile. */
export const REJOIN_WAIT_MS = 700

/** Reason for being down: no line, or an adapter that does not answer. */
export type SessionDown = 'port' | 'silent'

export type SessionState = {
  readonly down: SessionDown | null
  /** Boot number of the adapter; another one means that it restarted. */
  readonly boot: number | null
} & (
  | { readonly at: 'closed' }
  /** The link is open, and a hello is requested. */
  | { readonly at: 'greeting' }
  /** `carries`: the adapter has acknowledged a request of this session besides the hello. */
  | { readonly at: 'ready'; readonly hello: Hello; readonly carries: boolean }
)

export type SessionInput =
  | { readonly is: 'line_up' }
  | { readonly is: 'line_down' }
  | { readonly is: 'opened'; readonly boot: number; readonly bootReason: BootReason }
  | { readonly is: 'lost'; readonly reason: LossReason }
  /** The reply to the hello; null if no session can begin with it. */
  | { readonly is: 'greeted'; readonly hello: Hello | null }
  /** A request other than the hello was acknowledged. */
  | { readonly is: 'carried' }
  | { readonly is: 'late'; readonly timer: SessionTimer }

export type SessionTimer = 'rejoin' | 'greet'

export type SessionEffect =
  | { readonly do: 'timer'; readonly timer: SessionTimer; readonly ms: number }
  | { readonly do: 'cancel'; readonly timer: SessionTimer }
  /** Begins a new session of the link, on the present line. */
  | { readonly do: 'begin' }
  /** Closes the line and opens a new one. */
  | { readonly do: 'reopen'; readonly reason: string }
  /** Requests a hello from the adapter. */
  | { readonly do: 'greet' }
  /** Ends the payload at the link, and the hello. */
  | { readonly do: 'end' }
  /** Keeps the repeatable requests in flight; the others fail. */
  | { readonly do: 'keep' }
  /** Fails the requests in flight, because the adapter may have forgotten them. */
  | { readonly do: 'restarted'; readonly bootReason: BootReason }
  /** Fails the requests in flight and the waiting ones, because no frame can be sent. */
  | { readonly do: 'abandon' }
  | { readonly do: 'ready'; readonly hello: Hello }
  | { readonly do: 'down'; readonly why: SessionDown }

type SessionStep = Transition<SessionState, SessionEffect>

export const NO_SESSION: SessionState = { at: 'closed', down: 'port', boot: null }

const AWAIT_REJOIN: SessionEffect = { do: 'timer', timer: 'rejoin', ms: REJOIN_WAIT_MS }
const END: readonly SessionEffect[] = [{ do: 'cancel', timer: 'greet' }, { do: 'end' }]

export function stepSession(state: SessionState, input: SessionInput): SessionStep {
  switch (input.is) {
    case 'line_up':
      return { state, effects: [AWAIT_REJOIN] }
    case 'line_down':
      return goDown(closed(state), 'port', END)
    case 'opened':
      return open(state, input.boot, input.bootReason)
    case 'lost':
      return lose(state, input.reason)
    case 'greeted':
      return state.at === 'greeting' ? greet(state, input.hello) : { state, effects: [] }
    case 'carried':
      return { state: state.at === 'ready' ? { ...state, carries: true } : state, effects: [] }
    case 'late':
      return late(state, input.timer)
  }
}

const closed = ({ down, boot }: SessionState): SessionState => ({ at: 'closed', down, boot })

function open(state: SessionState, boot: number, bootReason: BootReason): SessionStep {
  const restarted = state.boot !== null && state.boot !== boot
  return {
    state: { at: 'greeting', down: state.down, boot },
    effects: [
      { do: 'cancel', timer: 'greet' },
      ...(restarted ? [{ do: 'restarted', bootReason } as const] : []),
      { do: 'greet' },
    ],
  }
}

function greet(state: SessionState, hello: Hello | null): SessionStep {
  // A session without a hello is useless: a new one is tried.
  if (hello === null) return { state, effects: [{ do: 'timer', timer: 'greet', ms: RESET_WAIT_MS }] }
  return {
    state: { at: 'ready', hello, carries: false, down: null, boot: state.boot },
    effects: [
      { do: 'cancel', timer: 'rejoin' },
      { do: 'ready', hello },
    ],
  }
}

function lose(session: SessionState, reason: LossReason): SessionStep {
  const state = closed(session)
  switch (reason) {
    case 'no_answer':
      return goDown(state, 'silent', END, { do: 'reopen', reason: 'the adapter does not answer' })
    case 'version':
      return goDown(state, 'silent', END, { do: 'reopen', reason: 'the adapter speaks another protocol version' })
    case 'silent':
      return goDown(state, 'silent', END, { do: 'begin' })
    case 'unacknowledged':
      // A faulty adapter may answer each hello and acknowledge no request: without `carries` this would never end.
      return session.at === 'ready' && session.carries
        ? { state, effects: [...END, { do: 'keep' }, AWAIT_REJOIN, { do: 'begin' }] }
        : goDown(state, 'silent', END, { do: 'begin' })
    case 'error':
    case 'sequence':
      return { state, effects: [...END, { do: 'keep' }, AWAIT_REJOIN, { do: 'begin' }] }
  }
}

function late(state: SessionState, timer: SessionTimer): SessionStep {
  switch (timer) {
    case 'rejoin':
      return state.at === 'ready' ? { state, effects: [] } : goDown(state, 'silent')
    case 'greet':
      return { state, effects: state.at === 'greeting' ? [{ do: 'begin' }] : [] }
  }
}

/** Reports a reason once while it lasts. */
function goDown(
  state: SessionState,
  why: SessionDown,
  before: readonly SessionEffect[] = [],
  ...last: readonly SessionEffect[]
): SessionStep {
  const down: readonly SessionEffect[] = state.down === why ? [] : [{ do: 'down', why }]
  const effects = [...before, { do: 'cancel', timer: 'rejoin' } as const, { do: 'abandon' } as const, ...down, ...last]
  return { state: { ...state, down: why }, effects }
}
