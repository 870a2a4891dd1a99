import { Worker } from 'node:worker_threads'

/** How far a write-ahead log has come, in frames of one page: in all, and of them those that are in the file now. */
export interface LogState {
  readonly frames: number
  readonly copied: number
}

type Answer = { readonly id: number } & (LogState | { readonly error: string })

/**
 * Moves write-ahead logs into their files in a thread of its own, which begins with the first that has grown: SQLite
 * waits for the disk three times meanwhile, and here nobody waits with it. Each log is asked for once at a time.
 */
export class CheckpointThread {
  #thread: Worker | null = null
  #asked = 0
  readonly #waiting = new Map<number, PromiseWithResolvers<LogState>>()

  /** Resolves when all that was in the log is in the file and on the disk; rejects where the disk does not take it. */
  readonly checkpoint = (file: string): Promise<LogState> => {
    this.#asked += 1
    const answer = Promise.withResolvers<LogState>()
    this.#waiting.set(this.#asked, answer)
    this.#thread ??= this.#begun()
    this.#thread.postMessage({ id: this.#asked, file }, [])
    return answer.promise
  }

  /** Resolves once the thread has no file open any more. */
  async stop(): Promise<void> {
    await this.#thread?.terminate()
  }

  #begun(): Worker {
    const thread = new Worker(new URL('checkpoint-thread.mjs', import.meta.url), {
      execArgv: [],
      // It keeps nothing; what SQLite needs is beside.
      resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, codeRangeSizeMb: 1, stackSizeMb: 1 },
    })
    thread.on('message', (answer: Answer) => this.#take(answer))
    thread.on('error', (error) => this.#ended(thread, error))
    thread.on('exit', () => this.#ended(thread, new Error('The thread of the checkpoints has ended.')))
    thread.unref()
    return thread
  }

  #take(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('error' in answer) waiting?.reject(new Error(answer.error))
    else waiting?.resolve(answer)
  }

  /** The next log that has grown gets a new one. */
  #ended(thread: Worker, error: Error): void {
    if (this.#thread !== thread) return
    this.#thread = null
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
