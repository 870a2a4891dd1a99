import { type Answer, type Body, BODY_BYTES_MAX, type CallHead, OPEN_BODY_BYTES_MAX } from '../api/call.ts'
import type { Admitted, Dispatcher, Served } from '../api/dispatch.ts'

/** Longest frame of the stream that a client may send. */
export const FRAME_BYTES_MAX = 64 * 1024

const NO_BODY: Body = { kind: 'none' }

/** Reads the body that comes with a request. */
export type ReadBody = (bytesMax: number, done: (error: Error | null, body?: Body) => void) => void

/** The end of a request's connection. */
export interface ServeTo {
  readonly write: (answer: Answer) => void
  /** The request has shown a valid credential: called before the answer is written. */
  readonly admitted?: () => void
}

/**
 * Answers one request to an endpoint of the contract, for every transport with one request for each answer; never
 * throws. A caller without access is refused before the body is read. `body` is null where none comes.
 */
export function serve(
  dispatcher: Dispatcher,
  found: Served,
  head: CallHead,
  body: ReadBody | null,
  { write, admitted = () => {} }: ServeTo,
): void {
  let request: Admitted
  try {
    request = dispatcher.admit(found, head)
  } catch (error) {
    const refusal = dispatcher.refused(error, head, found.target)
    if (isOfACaller(refusal)) admitted()
    return write(refusal)
  }
  if (request.caller) admitted()
  if (body === null) return whenReady(dispatcher.perform(request, NO_BODY), write)
  body(request.caller ? BODY_BYTES_MAX : OPEN_BODY_BYTES_MAX, (error, content = NO_BODY) => {
    if (error) write(dispatcher.refused(error, head, found.target))
    else whenReady(dispatcher.performLater(request, content), write)
  })
}

function whenReady(answer: Answer | Promise<Answer>, write: (answer: Answer) => void): void {
  if (answer instanceof Promise) void answer.then(write)
  else write(answer)
}

/** Whether a refusal follows a valid credential: earlier refusals have one of these statuses. */
function isOfACaller({ status }: Answer): boolean {
  return ![401, 403, 429].includes(status)
}
