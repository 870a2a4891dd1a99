import type { Answer } from '../api/call.ts'
import { acceptsGzip, Gzipped } from '../lib/gzipped.ts'

/**
 * The same answer as gzip, where the client takes that, the answer is long and nobody has encoded or tagged it: what a
 * page of the console reads of a large home is a tenth then. No page elsewhere can have such a request sent with a
 * session, so nobody learns anything from the lengths.
 */
export async function zipped(answer: Answer, acceptEncoding: string | undefined): Promise<Answer> {
  const { status, body, headers } = answer
  if (body === null || 'content-encoding' in headers || 'etag' in headers || !acceptsGzip(acceptEncoding)) return answer
  const gzip = await new Gzipped(Buffer.from(body)).gzip()
  if (gzip === null) return answer
  return { status, headers: { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' }, body: gzip }
}
