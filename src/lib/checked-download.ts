import type { IncomingMessage } from 'node:http'
import { checkedRequest, type RequestParts, within } from './checked-request.ts'
import { fail, ok, type Result } from './result.ts'

/** Longest time of a download, with its redirects: less than the relay waits for an answer. */
export const DOWNLOAD_TIMEOUT_MS = 20_000
const REDIRECTS_MAX = 3
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308]

/**
 * Reads the text at an address. Each address on the way is checked (`checkedRequest`), and none is less safe than
 * https after https. The error is the end of a sentence without the address. Never rejects.
 */
export function checkedDownload(url: URL, bytesMax: number, parts: RequestParts): Promise<Result<string, string>> {
  return within<Result<string, string>>(
    { timeoutMs: DOWNLOAD_TIMEOUT_MS, clock: parts.clock },
    (signal) => download(url, bytesMax, parts, signal),
    fail,
  )
}

async function download(
  url: URL,
  bytesMax: number,
  parts: RequestParts,
  signal: AbortSignal,
  redirects = 0,
): Promise<Result<string, string>> {
  const headers = { accept: 'text/calendar, text/plain;q=0.5', 'user-agent': 'hm-gateway' }
  const response = await checkedRequest({ method: 'GET', url, headers }, parts, signal)
  const { statusCode, headers: answered } = response
  if (REDIRECTS.includes(statusCode)) {
    response.destroy()
    const next = URL.parse(answered.location ?? '', url.href)
    if (next === null || !isAsSafe(next, url)) return fail('it leads to an address without https')
    if (redirects === REDIRECTS_MAX) return fail(`it leads to another address more than ${REDIRECTS_MAX} times`)
    return download(next, bytesMax, parts, signal, redirects + 1)
  }
  if (statusCode === 200) return textOf(response, bytesMax)
  response.destroy()
  return fail(`it answered ${statusCode ?? 'nothing'}`)
}

const isAsSafe = (next: URL, { protocol }: URL): boolean =>
  next.protocol === 'https:' || (next.protocol === 'http:' && protocol === 'http:')

/** @throws an error of the network for a body that ends early */
async function textOf(response: IncomingMessage, bytesMax: number): Promise<Result<string, string>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > bytesMax) return fail(`it sent more than ${bytesMax / 1_048_576} MiB`)
    chunks.push(chunk)
  }
  return ok(Buffer.concat(chunks).toString('utf8'))
}
