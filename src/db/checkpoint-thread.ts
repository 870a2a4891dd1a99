import { Worker } from 'node:worker_threads'

/** Length of a write-ahead log in frames of one page: the total, and the frames that are in the database file now. */
export interface LogState {
  readonly frames: number
  readonly copied: number
}

type Answer = { readonly id: number } & (LogState | { readonly error: string })

/**
 * Checkpoints write-ahead logs in a thread of its own, because SQLite waits for the disk three times meanwhile. The
 * first long log starts the thread. Each log has at most one pending request.
 */
export class CheckpointThread {
  #thread: Worker | null = null
  #lastId = 0
  readonly #waiting = new Map<number, PromiseWithResolvers<LogState>>()

  /** Resolves when the log's content is in the file and on the disk. Rejects if the disk refuses it. */
  readonly checkpoint = (file: string): Promise<LogState> => {
    this.#lastId += 1
    const answer = Promise.withResolvers<LogState>()
    this.#waiting.set(this.#lastId, answer)
    this.#thread ??= this.#begun()
    this.#thread.postMessage({ id: this.#lastId, file }, [])
    return answer.promise
  }

  /** Resolves once the thread has closed all files. */
  async stop(): Promise<void> {
    await this.#thread?.terminate()
  }

  #begun(): Worker {
    const thread = new Worker(new URL('checkpoint-thread.mjs', import.meta.url), {
      execArgv: [],
      // The thread stores nothing; SQLite's memory is outside these limits.
      resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, codeRangeSizeMb: 1, stackSizeMb: 1 },
    })
    thread.on('message', (answer: Answer) => this.#take(answer))
    thread.on('error', (error) => this.#rejectPending(thread, error))
    thread.on('exit', () => this.#rejectPending(thread, new Error('The checkpoint thread has ended.')))
    thread.unref()
    return thread
  }

  #take(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('error' in answer) waiting?.reject(new Error(answer.error))
    else waiting?.resolve(answer)
  }

  /** The next long log starts a new thread. */
  #rejectPending(thread: Worker, error: Error): void {
    if (this.#thread !== thread) return
    this.#thread = null
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
