import { EXPOSITION_TYPE } from '@hm-gateway/lib/exposition.ts'
import { hostName } from '@hm-gateway/lib/host-name.ts'
import { createServer } from '@hm-gateway/lib/plain-http.ts'
import { listening } from '../model/listening.ts'
import type { RelayMetrics } from './metrics.ts'

const LOOPBACK = '127.0.0.1'
/** Names of this machine. A web page that points its own name here (DNS rebinding) has another one. */
const NAMES: readonly (string | null)[] = ['127.0.0.1', 'localhost', '[::1]']

export interface MetricsServer extends AsyncDisposable {
  readonly port: number
}

/**
 * Serves `GET /metrics` on loopback, by plain HTTP: whoever reads there is on this machine.
 * @throws SettingsError where it cannot listen.
 */
export async function serveMetrics(metrics: RelayMetrics, port: number): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (!NAMES.includes(hostName(request.headers.host ?? ''))) {
      response.writeHead(421, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
      return void response.end('Metrics are read at 127.0.0.1 or localhost alone.\n')
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
