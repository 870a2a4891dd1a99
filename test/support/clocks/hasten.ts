/** Work that waits only for this machine's sockets mostly ends after so many turns of the event loop. */
const TURNS_AT_REST = 4

/**
 * Lets a little time pass with each turn of the event loop until `work`, which waits for timers (radio, commits), is
 * done. The first turns let no time pass: work that needs none ends before the house lives on.
 */
export async function hasten<T>(work: Promise<T>, passALittle: () => Promise<void>): Promise<T> {
  const ended = new AbortController()
  const done = work.finally(() => ended.abort())
  // The caller awaits `work` below and sees its failure.
  done.catch(() => {})
  for (let turns = 0; !ended.signal.aborted; turns++) await (turns < TURNS_AT_REST ? turn() : passALittle())
  return done
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
