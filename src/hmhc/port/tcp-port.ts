import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { fail, ok } from '../../lib/result.ts'
import type { Result } from '../../lib/result.ts'
import { PortListeners, type Port } from './port.ts'

/** An adapter behind a TCP connection (a serial server, or a simulator of its own process). */
export class TcpPort implements Port {
  readonly #host: string
  readonly #port: number
  readonly listeners = new PortListeners()
  #socket: Socket | null = null

  constructor(host: string, port: number) {
    this.#host = host
    this.#port = port
  }

  open(): Promise<Result<null, string>> {
    return new Promise((resolve) => {
      const socket = connect({ host: this.#host, port: this.#port, noDelay: true })
      this.#socket = socket
      let opened = false
      let reason = 'closed by the adapter'
      socket.on('connect', () => {
        opened = true
        resolve(ok(null))
      })
      socket.on('data', (bytes) => this.listeners.data(bytes))
      socket.on('error', (error) => {
        reason = error.message
      })
      socket.on('end', () => socket.destroy())
      socket.on('close', () => {
        if (opened) this.listeners.down(reason)
        else resolve(fail(reason))
      })
    })
  }

  write(bytes: Uint8Array): void {
    if (!this.listeners.ended) this.#socket?.write(bytes)
  }

  close(): void {
    this.listeners.end()
    this.#socket?.destroy()
  }
}
