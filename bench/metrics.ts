import { RequestCounts } from '../src/api/request-counts.ts'
import { atMost } from './report.ts'

const REQUESTS = 2_000_000
/** For comparison: a read over HTTPS takes about a hundred. */
const TARGET_MICROS = 1

/** Added cost of the counters for each request. */
export function benchMetrics(): void {
  const counts = new RequestCounts()
  const from = { token: 'hm_key_x', via: 'home' } as const
  const counted = (requests: number): void => {
    for (let at = 0; at < requests; at += 1) counts.answered('house.get', from, 200, (at % 7) * 0.3)
  }
  counted(REQUESTS / 10)
  const begun = performance.now()
  counted(REQUESTS)
  const micros = ((performance.now() - begun) * 1000) / REQUESTS
  const detail = 'by endpoint, transport, status and time, in a tight loop'
  atMost('counting a request for the metrics', micros, { most: TARGET_MICROS, unit: 'us', digits: 2, detail })
}
