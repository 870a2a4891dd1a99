import { onTestFinished } from 'vitest'
import { NatsLink } from '../../../relay/nats/connection.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { NatsServer } from './nats-server.ts'

/** Starts a server, which stops with the test. */
export async function natsServer(): Promise<NatsServer> {
  const started = await NatsServer.start()
  onTestFinished(() => started[Symbol.asyncDispose]())
  return started
}

/** Connects a node, which disconnects with the test. */
export async function natsLink({ url }: NatsServer): Promise<NatsLink> {
  const settings = { servers: [url], creds: null, replicas: 1 }
  const link = await NatsLink.open({ settings, name: 'test', log: silentLog })
  onTestFinished(() => link.close())
  return link
}
