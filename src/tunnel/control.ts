import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { z } from 'zod'
import { refusalAnswer, refusalOf, refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import { parseJson } from '../lib/json.ts'
import { drain, hello, type label, link, notices, type PassthroughMode, replaced, welcome } from '../wire/control.ts'
import { proofBytes } from '../wire/proof.ts'
import { EXPORTER_BYTES, EXPORTER_LABEL } from '../wire/tunnel.ts'
import { type BodyHandler, jsonAnswer, refuseStream, send, validated } from './answering.ts'
import type { ControlRequest, HostedControl } from './hosted-control.ts'
import type { GatewayIdentity } from './identity.ts'

export type HelloAsk = z.output<typeof hello.ask>
export type LinkAsk = z.output<typeof link.ask>
export type WelcomeAsk = z.output<typeof welcome.ask>
type HelloAnswer = z.output<typeof hello.answer>

/** The gateway's description of a new tunnel. */
export interface Greeting {
  readonly serial: string
  readonly slot: number
  readonly epoch: number
  readonly passthrough: PassthroughMode
  readonly wants: HelloAnswer['wants']
}

/** Messages of the relay about linking the home to accounts. */
export interface LinkMessageHandler {
  linkAsked(ask: LinkAsk): void
  /** Resolves when the message is stored, or could not be; the relay gets its response then. */
  welcomed(ask: WelcomeAsk): void | Promise<void>
  /** Notices about linked accounts. */
  noticed(news: z.output<typeof notices.ask>['notices']): void
  /** A tunnel with this epoch and the same key replaced this one. */
  replaced(epoch: number): void
}

/** Handlers of one tunnel for messages of its relay. */
export interface ControlEvents extends LinkMessageHandler {
  greeted(relay: HelloAsk): void
  drain(retryAfter: number): void
  /** The home's name. */
  house(): string
}

export interface ControlParts {
  readonly hosted: HostedControl
  /** True if the home is linked; otherwise the relay may only ask for the gateway's identity. */
  readonly isLinked: () => boolean
  readonly passthrough: () => PassthroughMode
  readonly identity: GatewayIdentity
  readonly socket: TLSSocket
  readonly greeting: Greeting
  readonly events: ControlEvents
}

const BODY_BYTES_MAX = 16 * 1024

/** Refuses requests that the relay could read. */
export const END_TO_END_ALONE = refusedWith('misdirected_request', {
  message:
    "Through the relay this home accepts only end-to-end connections: connect to the relay by the gateway's own name, and trust the gateway's own CA.",
})

/**
 * Handles the relay's own requests, each a JSON body on one stream. Refuses others in the Error shape and never throws.
 */
export function controlStreams(parts: ControlParts): (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void {
  const handlers = handlersOf(parts)
  return (stream, headers) => {
    const closing = new AbortController()
    stream.once('close', () => closing.abort())
    const chunks: Buffer[] = []
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > BODY_BYTES_MAX) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      else chunks.push(chunk)
    })
    stream.once('end', () => {
      if (bytes > BODY_BYTES_MAX) return
      const request = { method: headers[':method'] ?? '', path: headers[':path'] ?? '', signal: closing.signal }
      answerTo(request, Buffer.concat(chunks).toString('utf8'), handlers, parts).then(
        (answer) => send(stream, answer),
        (error: unknown) => {
          const refusal = refusalOf(error)
          if (refusal === null) refuseStream(stream, constants.NGHTTP2_INTERNAL_ERROR)
          else send(stream, refusalAnswer(refusal))
        },
      )
    })
  }
}

type Handlers = Readonly<Record<string, BodyHandler>>

async function answerTo(
  request: ControlRequest,
  text: string,
  handlers: Handlers,
  { hosted, isLinked, passthrough, events }: ControlParts,
): Promise<Answer> {
  const body = text === '' ? { ok: true as const, value: {} } : parseJson(text)
  if (!body.ok) return refusedWith('validation')
  const name = `${request.method} ${request.path}`
  const handler = handlers[name]
  if (handler !== undefined) return handler(body.value)
  if (!isLinked()) return refusedWith('not_found')
  // The relay gets neither the home's name nor tokens, which it could read. Revocations are always accepted.
  if (passthrough() === 'only' && name !== 'POST /revocations') return END_TO_END_ALONE
  if (name === 'GET /label') return jsonAnswer({ house: events.house() } satisfies z.output<typeof label.answer>)
  return hosted(request, body.value)
}

function handlersOf({ identity, socket, greeting, events }: ControlParts): Handlers {
  const acknowledged = <S extends z.ZodType>(
    shape: S,
    handle: (ask: z.output<S>) => void | Promise<void>,
  ): BodyHandler =>
    validated(shape, async (ask) => {
      await handle(ask)
      return jsonAnswer({})
    })
  return {
    'POST /hello': validated(hello.ask, (ask) => {
      events.greeted(ask)
      const signature = proof(identity, socket, greeting.serial, ask.nonce)
      return jsonAnswer({ ...greeting, publicKey: identity.publicKey, signature })
    }),
    'POST /welcome': acknowledged(welcome.ask, (ask) => events.welcomed(ask)),
    'POST /notices': acknowledged(notices.ask, (ask) => events.noticed(ask.notices)),
    'POST /link': acknowledged(link.ask, (ask) => events.linkAsked(ask)),
    'POST /replaced': acknowledged(replaced.ask, ({ epoch }) => events.replaced(epoch)),
    'POST /drain': acknowledged(drain.ask, ({ retryAfter }) => events.drain(retryAfter)),
  }
}

/** Signature bound to this TLS connection, so that the relay cannot forward it to another relay. */
function proof(identity: GatewayIdentity, socket: TLSSocket, serial: string, nonce: string): string {
  const exporter = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.from(serial))
  return identity.sign(proofBytes(serial, Buffer.from(nonce, 'base64url'), exporter)).toString('base64url')
}
