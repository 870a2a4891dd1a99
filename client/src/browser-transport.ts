import { ConnectionError } from './error.ts'
import type { HttpAnswer, HttpRequest, StreamLine, StreamListener, Transport } from './transport.ts'

/** An answer is waited for so long, unless the request says otherwise. */
export const ANSWER_WAIT_MS = 60_000

export interface BrowserOptions {
  /** The origin and what stands before `/v1`; the page's own origin unless told. */
  readonly base?: string
  /** Where the stream is, from the origin; `/v1/stream` behind the base unless told. */
  readonly stream?: string
  /** Sent with every request, asked for each time. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** Subprotocols of the stream: where a browser can say what a header would. Asked for each time. */
  readonly protocols?: () => readonly string[]
}

const OPTION_NAMES: readonly string[] = ['base', 'stream', 'headers', 'protocols'] satisfies (keyof BrowserOptions)[]

/**
 * A connection code and the parts of one are for Node: a browser trusts the CAs of its system, so that the fingerprint
 * has no use there.
 * @throws TypeError for anything but options of a browser, also from a program without types
 */
export function checkedOptions(options: unknown = {}): BrowserOptions {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(
      'A browser does not take a connection code: it trusts the CAs of its system. Pass { base, headers }, or connect in Node.',
    )
  const unknown = Object.keys(options).filter((name) => !OPTION_NAMES.includes(name))
  if (unknown.length > 0)
    throw new TypeError(
      `A browser does not take ${unknown.join(', ')}, but ${OPTION_NAMES.join(', ')}. Connect in Node by a connection code or its parts.`,
    )
  return options
}

/** Requests by `fetch`, the stream by `WebSocket`: whom to trust is the browser's to say. */
export function browserTransport({ base = '', stream, headers, protocols }: BrowserOptions = {}): Transport {
  return {
    request: (request) => requested(base, request, headers?.() ?? {}),
    stream: (listener) => {
      const url = new URL(stream ?? `${base}/v1/stream`, /^https?:/.test(base) ? base : pageAddress())
      url.protocol = url.protocol.replace('http', 'ws')
      return lineOf(new WebSocket(url, [...(protocols?.() ?? [])]), listener)
    },
  }
}

/** A browser's page has an address; the types of Node have no page. */
const pageAddress = (): string | undefined =>
  (globalThis as { readonly location?: { readonly href: string } }).location?.href

async function requested(
  base: string,
  { method, path, headers, body, signal, waitMs }: HttpRequest,
  own: Readonly<Record<string, string>>,
): Promise<HttpAnswer> {
  const late = AbortSignal.timeout(waitMs ?? ANSWER_WAIT_MS)
  try {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { ...own, ...headers },
      body,
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, late]) : late,
    })
    return { status: response.status, header: (name) => response.headers.get(name), text: await response.text() }
  } catch (error) {
    signal?.throwIfAborted()
    throw new ConnectionError('The gateway did not answer.', { isSent: true, cause: error })
  }
}

function lineOf(socket: WebSocket, { opened, heard, closed }: StreamListener): StreamLine {
  socket.addEventListener('open', opened)
  socket.addEventListener('message', ({ data }) => heard(typeof data === 'string' ? data : null))
  socket.addEventListener('close', ({ code }) => closed(code))
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    close: () => socket.close(),
  }
}
