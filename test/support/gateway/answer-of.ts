import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

/**
 * A complete response: its text, decompressed if gzip, and its body, parsed if JSON. Rejects if the response is cut
 * off.
 */
export async function answerOf(
  response: IncomingMessage,
): Promise<{ status: number; body: unknown; text: string; headers: Record<string, string> }> {
  const { statusCode: status = 0, headers } = response
  const bytes = await buffer(response)
  const isPacked = headers['content-encoding'] === 'gzip' && bytes.length > 0
  const text = (isPacked ? gunzipSync(bytes) : bytes).toString('utf8')
  const isJson = (headers['content-type'] ?? '').startsWith('application/json') && text !== ''
  return {
    status,
    body: isJson ? (JSON.parse(text) as unknown) : text,
    text,
    headers: headers as Record<string, string>,
  }
}
