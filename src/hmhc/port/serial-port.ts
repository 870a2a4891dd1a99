import type { SerialPort } from 'serialport'
import { fail, ok } from '../../lib/result.ts'
import type { Result } from '../../lib/result.ts'
import { PortListeners, type Port } from './port.ts'

const BAUD_RATE = 115_200

/**
 * An adapter on a serial line, or on a pseudo-terminal that stands for one. The only user of the serialport library.
 */
export class SerialLine implements Port {
  readonly #path: string
  readonly listeners = new PortListeners()
  #port: SerialPort | null = null

  /** @param path for example `/dev/serial/by-id/…`: names that survive replugging in another order. */
  constructor(path: string) {
    this.#path = path
  }

  async open(): Promise<Result<null, string>> {
    // Loaded when there is a serial line: without one its native parts need no memory.
    const { SerialPort: Port } = await import('serialport')
    if (this.listeners.ended) return fail('closed before it was open')
    return new Promise((resolve) => {
      const port = new Port({ path: this.#path, baudRate: BAUD_RATE, autoOpen: false, lock: true })
      this.#port = port
      port.on('data', (bytes: Buffer) => this.listeners.data(bytes))
      // An unplugged line gives 'error' and then 'close', sometimes twice; the listeners pass on the first.
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
   * USB adapters send only while DTR is up; a pseudo-terminal has no modem lines and refuses the call, which is no
   * fault.
   */
  #raiseModemLines(port: SerialPort): void {
    port.set({ dtr: true, rts: true }, () => {})
  }

  #lost(reason: string): void {
    this.#letGo()
    this.listeners.down(reason)
  }

  /** Frees the lock on the device, so that the next port object can take it. */
  #letGo(): void {
    if (this.#port?.isOpen === true) this.#port.close(() => {})
  }
}
