import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { checked, sentenceOf } from '@hm-gateway/lib/checked.ts'
import { parseJson } from '@hm-gateway/lib/json.ts'
import { PairedGateway, PollBody } from '@hm-gateway/wire/pairing.ts'
import { readUpTo } from '../limits/read-up-to.ts'
import { refuse } from './refusals.ts'
import { gatewayOfCode } from './routing.ts'

/** The gateway has the same limit for requests without a credential. */
const BODY_BYTES_MAX = 4 * 1024
const OPEN_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

export interface PairingRoute {
  readonly gateway: string
  readonly body: Buffer
}

/** Reads the gateway of a request of the device flow; null if the response was already written. */
export async function pairing(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<PairingRoute | null> {
  const body = await readUpTo(request.iterator({ destroyOnReturn: false }), BODY_BYTES_MAX)
  if (body === null) {
    const message = `The body is too large: send at most ${BODY_BYTES_MAX / 1024} KiB.`
    return refused(response, 'payload_too_large', { details: { message }, headers: { connection: 'close' } })
  }
  if (body.length === 0) return invalid(response, 'A JSON body is missing.')
  if (request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json')
    return refused(response, 'unsupported_media_type')
  const content = parseJson(body.toString('utf8'))
  if (!content.ok)
    return invalid(
      response,
      content.error === 'too_deep'
        ? 'The body is nested too deeply: 32 levels at most.'
        : 'The body is not valid JSON.',
    )
  return path === '/v1/pair' ? byGateway(content.value, body, response) : byCode(content.value, body, response)
}

/** The gateway validates the rest of the body. */
function byGateway(content: unknown, body: Buffer, response: ServerResponse): PairingRoute | null {
  const pairing = checked(z.looseObject({ gateway: PairedGateway }), content)
  if (pairing.ok) return { gateway: pairing.value.gateway, body }
  return invalid(response, sentenceOf(pairing.error, 'The body'))
}

/** A malformed code gets the same response as an expired code at the gateway. */
function byCode(content: unknown, body: Buffer, response: ServerResponse): PairingRoute | null {
  const poll = checked(PollBody, content)
  if (!poll.ok) return invalid(response, sentenceOf(poll.error, 'The body'))
  const gateway = gatewayOfCode(poll.value.code)
  if (gateway !== null) return { gateway, body }
  const text = JSON.stringify({ error: 'expired_token' })
  response.writeHead(400, { ...OPEN_HEADERS, 'content-length': Buffer.byteLength(text) }).end(text)
  return null
}

const invalid = (response: ServerResponse, message: string): null =>
  refused(response, 'validation', { details: { message } })

function refused(...refusal: Parameters<typeof refuse>): null {
  refuse(...refusal)
  return null
}
