import { type Answer, type Body, BODY_BYTES_MAX, type CallHead, OPEN_BODY_BYTES_MAX } from '../api/call.ts'
import type { Admitted, Dispatcher, Served } from '../api/dispatch.ts'

/** Longest frame that a client may send on the stream. */
export const FRAME_BYTES_MAX = 64 * 1024

const NO_BODY: Body = { kind: 'none' }

/** Reads the body of a request. */
export type ReadBody = (bytesMax: number, done: (error: Error | null, body?: Body) => void) => void

/** Receiver of the response. */
export interface ServeTo {
  readonly write: (answer: Answer) => void
  /** Called before the response is written if the request has a valid credential. */
  readonly admitted?: () => void
  /** Number of the event loop turn. Without it, every body counts as later than its head. */
  readonly turn?: () => number
}

/**
 * Answers one request to an endpoint of the contract, for all request-response transports. Never throws. A caller
 * without access is refused before the body is read. `body` is null if there is none.
 */
export function serve(
  dispatcher: Dispatcher,
  route: Served,
  head: CallHead,
  body: ReadBody | null,
  { write, admitted = () => {}, turn }: ServeTo,
): void {
  const turnOfHead = turn?.()
  let request: Admitted
  try {
    request = dispatcher.admit(route, head)
  } catch (error) {
    const refusal = dispatcher.refused(error, head, route.target)
    if (isOfACaller(refusal)) admitted()
    return write(refusal)
  }
  if (request.caller) admitted()
  if (body === null) return whenReady(dispatcher.perform(request, NO_BODY), write)
  body(request.caller ? BODY_BYTES_MAX : OPEN_BODY_BYTES_MAX, (error, content = NO_BODY) => {
    if (error) write(dispatcher.refused(error, head, route.target))
    else if (turnOfHead !== undefined && turnOfHead === turn?.()) whenReady(dispatcher.perform(request, content), write)
    else whenReady(dispatcher.performLater(request, content), write)
  })
}

function whenReady(answer: Answer | Promise<Answer>, write: (answer: Answer) => void): void {
  if (answer instanceof Promise) void answer.then(write)
  else write(answer)
}

/** True if a refusal came after a valid credential: earlier refusals have one of these statuses. */
function isOfACaller({ status }: Answer): boolean {
  return ![401, 403, 429].includes(status)
}
