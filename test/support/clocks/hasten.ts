/**
 * Lets time pass, a little with each turn of the event loop, until `work` that waits for timers (radio, commits) is
 * done.
 */
export async function hasten<T>(work: Promise<T>, passALittle: () => Promise<void>): Promise<T> {
  const ended = new AbortController()
  const done = work.finally(() => ended.abort())
  // Its failure is the caller's, who awaits it below.
  done.catch(() => {})
  while (!ended.signal.aborted) await passALittle()
  return done
}
