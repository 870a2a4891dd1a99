import type { Answer } from '../api/call.ts'
import { acceptsGzip, Gzipped } from '../lib/gzipped.ts'

/**
 * Compresses a long response if the client accepts gzip and the response has neither encoding nor ETag. The data of a
 * large home shrinks to a tenth. Other sites cannot send such requests with a session, so response lengths leak nothing
 * (BREACH).
 */
export async function zipped(answer: Answer, acceptEncoding: string | undefined): Promise<Answer> {
  const { status, body, headers } = answer
  if (body === null || 'content-encoding' in headers || 'etag' in headers || !acceptsGzip(acceptEncoding)) return answer
  const gzip = await new Gzipped(Buffer.from(body)).gzip()
  if (gzip === null) return answer
  return { status, headers: { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' }, body: gzip }
}
