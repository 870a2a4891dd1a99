import { Duplex } from 'node:stream'
import { connect, type ConnectionOptions } from 'node:tls'

/** ClientHello of a real client. */
export function helloOf(options: ConnectionOptions): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, done) => {
        resolve(chunk)
        done()
      },
    })
    connect({ socket, ...options }).on('error', () => {})
  })
}
