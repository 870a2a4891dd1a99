/**
 * Keeps the event loop of this process turning until it is disposed of. A server that answers a load that sleeps pays
 * for waking it with each answer, and a slower server more often than a faster one: the ratio would be of the system's
 * wake-ups.
 */
export function polling(): Disposable {
  let going = true
  const turn = (): void => {
    if (going) setImmediate(turn)
  }
  turn()
  return {
    [Symbol.dispose]: () => {
      going = false
    },
  }
}
