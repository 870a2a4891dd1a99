import { EXPOSITION_TYPE } from '@hm-gateway/lib/exposition.ts'
import { hostName } from '@hm-gateway/lib/host-name.ts'
import { createServer } from '@hm-gateway/lib/plain-http.ts'
import { listening } from '../model/listening.ts'
import type { RelayMetrics } from './metrics.ts'

const LOOPBACK = '127.0.0.1'
/** Accepted Host headers. They keep out web pages whose own name resolves to this machine (DNS rebinding). */
const NAMES: readonly (string | null)[] = ['127.0.0.1', 'localhost', '[::1]']

export interface MetricsServer extends AsyncDisposable {
  readonly port: number
}

/**
 * Serves `GET /metrics` on loopback. Plain HTTP is enough, because the reader is on the same machine.
 * @throws SettingsError if the port is not available.
 */
export async function serveMetrics(metrics: RelayMetrics, port: number): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (!NAMES.includes(hostName(request.headers.host ?? ''))) {
      response.writeHead(421, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
      return void response.end('Read metrics at 127.0.0.1 or localhost.\n')
    }
    const isKnown = request.url === '/metrics' && (request.method === 'GET' || request.method === 'HEAD')
    response.writeHead(isKnown ? 200 : 404, { 'content-type': EXPOSITION_TYPE })
    response.end(isKnown ? metrics.text() : 'GET /metrics\n')
  })
  return {
    port: await listening(server, { host: LOOPBACK, port }, 'HM_RELAY_METRICS_PORT'),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => {
        server.close(closed)
      })
    },
  }
}
