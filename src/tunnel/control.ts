import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { z } from 'zod'
import { refusalAnswer, refusalOf, refusedWith } from '../api/answers.ts'
import type { Answer } from '../api/call.ts'
import { parseJson } from '../lib/json.ts'
import { drain, hello, type label, link, notices, type Passthrough, replaced, welcome } from '../wire/control.ts'
import { proofBytes } from '../wire/proof.ts'
import { EXPORTER_BYTES, EXPORTER_LABEL } from '../wire/tunnel.ts'
import { type Answering, jsonAnswer, refuseStream, send, taking } from './answering.ts'
import type { ControlRequest, Hosted } from './hosted-control.ts'
import type { Identity } from './identity.ts'

export type HelloAsk = z.output<typeof hello.ask>
export type LinkAsk = z.output<typeof link.ask>
export type WelcomeAsk = z.output<typeof welcome.ask>
type HelloAnswer = z.output<typeof hello.answer>

/** What the gateway says of a tunnel when it opens. */
export interface Greeting {
  readonly serial: string
  readonly slot: number
  readonly epoch: number
  readonly passthrough: Passthrough
  readonly wants: HelloAnswer['wants']
}

/** Messages of the relay about the account behind the home. */
export interface Enrolling {
  linkAsked(ask: LinkAsk): void
  /** Resolves when what it says is stored, or could not be: the relay is answered then. */
  welcomed(ask: WelcomeAsk): void | Promise<void>
  /** News of linked accounts. */
  noticed(news: z.output<typeof notices.ask>['notices']): void
  /** A tunnel of this epoch, by the same key, has the place of this one. */
  replaced(epoch: number): void
}

/** Handlers of one tunnel for messages of its relay. */
export interface ControlEvents extends Enrolling {
  greeted(relay: HelloAsk): void
  drain(retryAfter: number): void
  /** The home's name. */
  house(): string
}

export interface ControlParts {
  readonly hosted: Hosted
  /** Whether the home is linked: of no other does a relay ask anything but who it is. */
  readonly isLinked: () => boolean
  readonly passthrough: () => Passthrough
  readonly identity: Identity
  readonly socket: TLSSocket
  readonly greeting: Greeting
  readonly events: ControlEvents
}

const BODY_BYTES_MAX = 16 * 1024

/** Refuses whatever passes the relay so that it could be read there. */
export const END_TO_END_ALONE = refusedWith('misdirected_request', {
  message:
    "Through the relay this home is reached end to end alone: connect to the relay by the gateway's own name, and trust the gateway's own CA.",
})

/**
 * Answers what the relay itself asks the gateway, one JSON body a stream; anything else is refused in the Error shape.
 * It never throws.
 */
export function controlStreams(parts: ControlParts): (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void {
  const answers = answersOf(parts)
  return (stream, headers) => {
    const left = new AbortController()
    stream.once('close', () => left.abort())
    const chunks: Buffer[] = []
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > BODY_BYTES_MAX) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      else chunks.push(chunk)
    })
    stream.once('end', () => {
      if (bytes > BODY_BYTES_MAX) return
      const request = { method: headers[':method'] ?? '', path: headers[':path'] ?? '', signal: left.signal }
      answerTo(request, Buffer.concat(chunks).toString('utf8'), answers, parts).then(
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

type Answers = Readonly<Record<string, Answering>>

async function answerTo(
  request: ControlRequest,
  text: string,
  answers: Answers,
  { hosted, isLinked, passthrough, events }: ControlParts,
): Promise<Answer> {
  const body = text === '' ? { ok: true as const, value: {} } : parseJson(text)
  if (!body.ok) return refusedWith('validation')
  const name = `${request.method} ${request.path}`
  const answer = answers[name]
  if (answer !== undefined) return answer(body.value)
  if (!isLinked()) return refusedWith('not_found')
  // It learns no name, and tokens that it could read are not made; that they end can always be asked for.
  if (passthrough() === 'only' && name !== 'POST /revocations') return END_TO_END_ALONE
  if (name === 'GET /label') return jsonAnswer({ house: events.house() } satisfies z.output<typeof label.answer>)
  return hosted(request, body.value)
}

function answersOf({ identity, socket, greeting, events }: ControlParts): Answers {
  const telling = <S extends z.ZodType>(shape: S, tell: (ask: z.output<S>) => void | Promise<void>): Answering =>
    taking(shape, async (ask) => {
      await tell(ask)
      return jsonAnswer({})
    })
  return {
    'POST /hello': taking(hello.ask, (ask) => {
      events.greeted(ask)
      const signature = proof(identity, socket, greeting.serial, ask.nonce)
      return jsonAnswer({ ...greeting, publicKey: identity.publicKey, signature })
    }),
    'POST /welcome': telling(welcome.ask, (ask) => events.welcomed(ask)),
    'POST /notices': telling(notices.ask, (ask) => events.noticed(ask.notices)),
    'POST /link': telling(link.ask, (ask) => events.linkAsked(ask)),
    'POST /replaced': telling(replaced.ask, ({ epoch }) => events.replaced(epoch)),
    'POST /drain': telling(drain.ask, ({ retryAfter }) => events.drain(retryAfter)),
  }
}

/** Bound to this TLS connection: the relay cannot show it to another. */
function proof(identity: Identity, socket: TLSSocket, serial: string, nonce: string): string {
  const exporter = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.from(serial))
  return identity.sign(proofBytes(serial, Buffer.from(nonce, 'base64url'), exporter)).toString('base64url')
}
