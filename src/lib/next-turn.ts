/** Resolves in the next event loop turn, after other due events, so that long work blocks no one. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
