import { EventEmitter } from 'node:events'
import { Duplex } from 'node:stream'

/** The part of a socket that the stream needs, with its frames decoded. */
export class FakeSocket extends EventEmitter {
  readonly readyState = 1
  readonly extensions = ''
  isPaused = false
  #bytes: Buffer[] = []
  readonly _socket = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      this.#bytes.push(chunk)
      done()
    },
  })

  ping(): void {}

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  close(code: number): void {
    this.#bytes.push(frameOf(`closed ${code}`))
  }

  terminate(): void {
    this.#bytes.push(frameOf('terminated'))
  }

  /** Texts of the frames written since the last call. */
  written(): string[] {
    let bytes = Buffer.concat(this.#bytes.splice(0))
    const texts: string[] = []
    while (bytes.length > 0) {
      const [start, length] =
        bytes[1] === 127
          ? [10, Number(bytes.readBigUInt64BE(2))]
          : bytes[1] === 126
            ? [4, bytes.readUInt16BE(2)]
            : [2, bytes[1] ?? 0]
      texts.push(bytes.toString('utf8', start, start + length))
      bytes = bytes.subarray(start + length)
    }
    return texts
  }
}

function frameOf(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)])
}
