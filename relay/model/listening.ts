import { once } from 'node:events'
import type { Server } from 'node:net'

/** Listens, and answers the port. @throws the system's error where it cannot. */
export async function listening(server: Server, at: { readonly host: string; readonly port: number }): Promise<number> {
  await once(server.listen(at), 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : at.port
}
