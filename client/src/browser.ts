// The client in a browser: `@hm-gateway/client/browser`.
import { type BrowserOptions, browserTransport, checkedOptions } from './browser-transport.ts'
import { Client } from './client.ts'

export * from './core.ts'
export { type BrowserOptions, browserTransport } from './browser-transport.ts'

/**
 * A client of the gateway that served this page, or of the gateway in the options.
 * @throws TypeError for a connection code, which only Node accepts
 */
export function connect(options?: BrowserOptions): Client {
  return new Client(browserTransport(checkedOptions(options)))
}
