import type { SerialPort } from 'serialport'
import { fail, ok } from '../../lib/result.ts'
import type { Result } from '../../lib/result.ts'
import { PortListeners, type Port } from './port.ts'

const BAUD_RATE = 115_200

/** An adapter on a serial line, or on a pseudo-terminal in its place. The only user of the serialport library. */
export class SerialLine implements Port {
  readonly #path: string
  readonly listeners = new PortListeners()
  #port: SerialPort | null = null

  /** @param path for example `/dev/serial/by-id/…`: names that survive replugging in another order */
  constructor(path: string) {
    this.#path = path
  }

  async open(): Promise<Result<null, string>> {
    // Loaded with the first serial line: otherwise its native parts would use memory.
    const { SerialPort: Port } = await import('serialport')
    if (this.listeners.ended) return fail('closed before it opened')
    return new Promise((resolve) => {
      const port = new Port({ path: this.#path, baudRate: BAUD_RATE, autoOpen: false, lock: true })
      this.#port = port
      port.on('data', (bytes: Buffer) => this.listeners.data(bytes))
      // An unplugged line emits 'error' and then 'close', sometimes twice; the listeners forward the first.
      port.on('error', (error) => this.#lost(error.message))
      port.on('close', (error: Error | null) => this.#lost(error?.message ?? 'closed'))
      port.open((error) => {
        if (error) return resolve(fail(error.message))
        if (this.listeners.ended) this.#letGo()
        else this.#raiseModemLines(port)
        return resolve(ok(null))
      })
    })
  }

  write(bytes: Uint8Array): void {
    if (this.listeners.ended || this.#port?.isOpen !== true) return
    this.#port.write(Buffer.from(bytes), (error) => {
      if (error) this.#lost(error.message)
    })
  }

  close(): void {
    this.listeners.end()
    this.#letGo()
  }

  /**
   * USB adapters send only while DTR is up. A pseudo-terminal has no modem lines and rejects the call, which is
   * harmless.
   */
  #raiseModemLines(port: SerialPort): void {
    port.set({ dtr: true, rts: true }, () => {})
  }

  #lost(reason: string): void {
    this.#letGo()
    this.listeners.down(reason)
  }

  /** Releases the lock on the device, so that the next port object can take it. */
  #letGo(): void {
    if (this.#port?.isOpen === true) this.#port.close(() => {})
  }
}
