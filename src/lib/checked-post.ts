import { checkedRequest, type RequestParts, within } from './checked-request.ts'

export interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

/** Result of a request: its status, or the reason without one as the end of a sentence. */
export type PostResult =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter?: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Longest time of one request, with the look-up of its host. */
export const POST_TIMEOUT_MS = 10_000

/** Sends a POST request (`checkedRequest`) and ignores the body of the response. Never rejects. */
export function checkedPost(post: Post, parts: RequestParts): Promise<PostResult> {
  return within<PostResult>(
    { timeoutMs: POST_TIMEOUT_MS, clock: parts.clock },
    async (signal) => {
      const response = await checkedRequest({ method: 'POST', ...post }, parts, signal)
      const { statusCode: status = 0, headers } = response
      // A peer could send its body for ever.
      response.destroy()
      const retryAfter = headers['retry-after']
      return { kind: 'answered', status, ...(retryAfter === undefined ? {} : { retryAfter }) }
    },
    (reason) => ({ kind: 'failed', reason }),
  )
}
