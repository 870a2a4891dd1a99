import { once } from 'node:events'
import type { Server } from 'node:net'
import { errorCode } from '@hm-gateway/lib/files.ts'
import { SettingsError } from './relay-settings.ts'

/**
 * Starts to listen and returns the port.
 * @param setting variable with which the operator chooses the port, if there is one.
 * @throws SettingsError if the port is not available and there is a setting; otherwise the system's error.
 */
export async function listening(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  setting?: string,
): Promise<number> {
  try {
    await once(server.listen({ host, port }), 'listening')
  } catch (error) {
    const code = setting === undefined ? null : errorCode(error)
    if (code === 'EADDRINUSE') throw new SettingsError(`Port ${port} is in use: choose another with ${setting}.`)
    if (code === 'EACCES')
      throw new SettingsError(`This user may not listen on port ${port}: choose one above 1023 with ${setting}.`)
    throw error
  }
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
