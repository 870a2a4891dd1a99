// How Node runs the gateway and the relay, wherever they are started from.

/**
 * A small young generation: a gateway keeps little and for long, and a home's machine has other things to do with its
 * memory; a relay to which a thousand gateways came at once would keep 30 MiB for good that it never needs again. No
 * signal opens the debugger. The warning is about running the TypeScript sources as they are, which is meant.
 */
export const GATEWAY_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4', '--disable-sigusr1']
