// Node's version, flags and environment for every start of the gateway and the relay.

/** Node 24 runs the TypeScript sources without a flag (type stripping). */
export const NODE_MAJOR = 24
export const NODE_RUNS_SOURCES = Number(process.versions.node.split('.')[0]) >= NODE_MAJOR

/** No signal opens the debugger. The disabled warning is about type stripping. */
const FLAGS = ['--disable-warning=ExperimentalWarning', '--disable-sigusr1']

/** A small young generation saves memory, for 3 % more CPU time of a read (docs/performance.md#what-it-rests-on). */
export const GATEWAY_FLAGS = [...FLAGS, '--max-semi-space-size=1']

/** After a burst of a thousand gateways, a relay would otherwise keep 30 MiB. */
export const RELAY_FLAGS = [...FLAGS, '--max-semi-space-size=4']

/** With one arena, the C library keeps 4 MiB less of freed memory. */
export const GATEWAY_ENV = { MALLOC_ARENA_MAX: '1' }
