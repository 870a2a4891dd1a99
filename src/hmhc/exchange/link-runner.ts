import { type BootReason, encodeFrame, FrameSplitter } from '../frame/frame.ts'
import { PortLoop, type LineOptions } from '../port/port.ts'
import { type LinkCounters, CLOSED, stepLink, type LinkEffect, type LinkTimer, type LossReason } from './link.ts'
import { MachineRunner, NamedTimers } from './machine.ts'

export interface LinkRunnerOptions extends LineOptions {
  readonly counters: LinkCounters
}

/** Events of the link; each call follows its state change. */
export interface LinkListener {
  lineUp(): void
  lineDown(): void
  /** A session began; a new `boot` means that the adapter restarted. `version` is the version byte of the protocol. */
  opened(boot: number, bootReason: BootReason, version: number): void
  lost(reason: LossReason): void
  /** The frame with the payload of `send` went on the wire, first or repeated. */
  wrote(): void
  acked(): void
  delivered(payload: Uint8Array): void
}

/** Runs the link's pure machine with a line, a clock and random sessions. */
export class LinkRunner {
  readonly #options: LinkRunnerOptions
  readonly #listener: LinkListener
  readonly #ports: PortLoop
  readonly #splitter = new FrameSplitter()
  /** Drawn once: identifies this host, so that the adapter knows whose request ids it remembers. */
  readonly #host: number
  readonly #timers: NamedTimers<LinkTimer>
  readonly #machine = new MachineRunner(CLOSED, stepLink, (effect) => this.#do(effect))
  #reopening = false

  constructor(options: LinkRunnerOptions, listener: LinkListener) {
    this.#options = options
    this.#listener = listener
    this.#host = options.random.bytes(4).readUInt32BE()
    this.#timers = new NamedTimers(options.clock, (timer) => this.#machine.take({ is: 'late', timer }))
    this.#ports = new PortLoop({
      ...options,
      onUp: () => this.#lineUp(),
      onData: (bytes) => this.#onBytes(bytes),
      onDown: () => this.#lineDown(),
    })
  }

  get open(): boolean {
    return this.#machine.state.at === 'open'
  }

  /** Time until the line is tried again, if it is down. */
  get retryMs(): number | null {
    return this.#ports.retryMs
  }

  start(): void {
    this.#ports.start()
  }

  stop(): void {
    this.#ports.stop()
    this.#machine.take({ is: 'end' })
  }

  /** Sends one payload; only after the previous one was acknowledged. */
  send(payload: Uint8Array, sendsMax: number): void {
    this.#machine.take({ is: 'send', payload, sendsMax })
  }

  /** Begins a new session on the present line. */
  begin(): void {
    // 1 to 65,535: 0 is the session number of frames outside any session.
    const session = 1 + (this.#options.random.bytes(4).readUInt32BE() % 0xffff)
    this.#machine.take({ is: 'begin', session, host: this.#host })
  }

  /** Closes the line and opens a new one; without `lineDown`, because the listener requested it. */
  reopen(reason: string): void {
    this.#reopening = true
    this.#ports.reopen(reason)
    this.#reopening = false
  }

  /** The adapter answers. */
  settled(): void {
    this.#ports.settled()
  }

  #lineUp(): void {
    this.#options.counters.add('linesOpened')
    this.#splitter.clear()
    this.#listener.lineUp()
    this.begin()
  }

  #lineDown(): void {
    this.#machine.take({ is: 'end' })
    if (!this.#reopening) this.#listener.lineDown()
  }

  #onBytes(bytes: Uint8Array): void {
    const { counters } = this.#options
    counters.add('bytesIn', bytes.length)
    for (const found of this.#splitter.push(bytes)) {
      if ('frame' in found) {
        counters.add('framesIn')
        this.#machine.take({ is: 'frame', frame: found.frame })
      } else {
        counters.add(found.discarded)
        counters.add('discardedBytes', found.bytes)
        this.#machine.take({ is: 'damaged' })
      }
    }
  }

  #do(effect: LinkEffect): void {
    const { counters } = this.#options
    switch (effect.do) {
      case 'write':
        return this.#write(effect.frame)
      case 'timer':
        return this.#timers.set(effect.timer, effect.ms)
      case 'cancel':
        return this.#timers.cancel(effect.timer)
      case 'count':
        return counters.add(effect.what)
      case 'opened':
        counters.add('sessions')
        return this.#listener.opened(effect.boot, effect.bootReason, effect.version)
      case 'lost':
        counters.add('sessionsLost')
        return this.#listener.lost(effect.reason)
      case 'acked':
        return this.#listener.acked()
      case 'deliver':
        return this.#listener.delivered(effect.payload)
    }
  }

  #write(frame: Parameters<typeof encodeFrame>[0]): void {
    const bytes = encodeFrame(frame)
    this.#options.counters.add('framesOut')
    this.#options.counters.add('bytesOut', bytes.length)
    if (frame.kind === 'data') this.#listener.wrote()
    this.#ports.write(bytes)
  }
}
