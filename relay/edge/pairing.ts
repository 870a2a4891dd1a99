import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { checked, sentenceOf } from '@hm-gateway/lib/checked.ts'
import { parseJson } from '@hm-gateway/lib/json.ts'
import { PairedGateway, PollBody } from '@hm-gateway/wire/pairing.ts'
import { readUpTo } from '../limits/read-up-to.ts'
import { refuse } from './refusals.ts'
import { gatewayOfCode } from './routing.ts'

/** What the gateway itself takes of a request without a credential. */
const BODY_BYTES_MAX = 4 * 1024
const OPEN_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

/** Where a request of the device flow goes. */
export interface PairingRoute {
  readonly gateway: string
  readonly body: Buffer
}

/** Reads which gateway a request of the device flow is for; null where it was refused or answered. */
export async function pairing(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<PairingRoute | null> {
  const body = await readUpTo(request.iterator({ destroyOnReturn: false }), BODY_BYTES_MAX)
  if (body === null) {
    const message = `The body is too large: ${BODY_BYTES_MAX / 1024} KiB at most.`
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

/** The gateway judges the rest of the body. */
function byGateway(content: unknown, body: Buffer, response: ServerResponse): PairingRoute | null {
  const asked = checked(z.looseObject({ gateway: PairedGateway }), content)
  if (asked.ok) return { gateway: asked.value.gateway, body }
  return invalid(response, sentenceOf(asked.error, 'The body'))
}

/** A code that no gateway made is answered as the gateway would: nobody waits for it. */
function byCode(content: unknown, body: Buffer, response: ServerResponse): PairingRoute | null {
  const asked = checked(PollBody, content)
  if (!asked.ok) return invalid(response, sentenceOf(asked.error, 'The body'))
  const gateway = gatewayOfCode(asked.value.code)
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
