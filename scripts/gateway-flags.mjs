// How Node runs the gateway, wherever it is started from.

/**
 * A small young generation: a gateway keeps little and for long, and a home's machine has other things to do with its
 * memory. No signal opens the debugger. The warning is about running the TypeScript sources as they are, which is
 * meant.
 */
export const GATEWAY_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4', '--disable-sigusr1']
