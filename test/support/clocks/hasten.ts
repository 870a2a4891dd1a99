/** What waits for nothing but this machine's sockets is mostly done after so many turns of the event loop. */
const TURNS_AT_REST = 4

/**
 * Lets time pass, a little with each turn of the event loop, until `work` that waits for timers (radio, commits) is
 * done. What needs none of it gets its first turns alone: the house does not live on meanwhile.
 */
export async function hasten<T>(work: Promise<T>, passALittle: () => Promise<void>): Promise<T> {
  const ended = new AbortController()
  const done = work.finally(() => ended.abort())
  // Its failure is the caller's, who awaits it below.
  done.catch(() => {})
  for (let turns = 0; !ended.signal.aborted; turns++) await (turns < TURNS_AT_REST ? turn() : passALittle())
  return done
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
