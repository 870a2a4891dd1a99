/** Resolves in the next turn of the event loop: whatever is due comes first, so that long work holds nobody up. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
