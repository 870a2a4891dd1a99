import type { ChannelOwner, OpenChannels } from '../auth/open-channels.ts'
import type { Clock } from '../lib/clock.ts'

/** Longest wait for a pong of a live client, during which a newcomer's upgrade waits. */
export const PROBE_MS = 1_500

/** A socket that can be pinged; `answered` is called once, at the next sign of life. */
interface Probed extends ChannelOwner {
  probe(answered: () => void): void
}

export interface SilentSocketsParts<S extends Probed> {
  readonly sockets: Pick<OpenChannels<S>, 'full' | 'list' | 'of'>
  /** Closes a socket whose client has disappeared, and frees its place at once. */
  readonly end: (socket: S) => void
  readonly clock: Clock
}

/** Finds sockets whose clients disappeared without closing, when newcomers need their places. */
export class SilentSockets<S extends Probed> {
  readonly #parts: SilentSocketsParts<S>
  readonly #probes = new Map<string, Promise<S[]>>()

  constructor(parts: SilentSocketsParts<S>) {
    this.#parts = parts
  }

  /** If this credential is at a limit, closes the oldest socket whose client does not answer a ping. */
  async makeRoom(link: string): Promise<void> {
    const { sockets, end } = this.#parts
    const limit = sockets.full(link)
    if (limit === null) return
    const silent = await (limit === 'all' ? this.#silent('', sockets.list()) : this.#silent(link, sockets.of(link)))
    // Newcomers that share the list take different places.
    const socket = silent.shift()
    if (socket !== undefined) end(socket)
  }

  /** Sockets that do not answer a ping. Concurrent calls for the same limit share one list. */
  #silent(limit: string, sockets: readonly S[]): Promise<S[]> {
    const known = this.#probes.get(limit)
    if (known !== undefined) return known
    const { promise, resolve } = Promise.withResolvers<S[]>()
    this.#probes.set(limit, promise)
    const silent = new Set(sockets)
    const over = (): void => {
      cancel()
      this.#probes.delete(limit)
      resolve([...silent])
    }
    const cancel = this.#parts.clock.after(PROBE_MS, over)
    for (const socket of sockets)
      socket.probe(() => {
        silent.delete(socket)
        if (silent.size === 0 && this.#probes.get(limit) === promise) over()
      })
    return promise
  }
}
