// Node's flags for every start of the gateway and the relay.

/**
 * A small young generation suits the few long-lived objects of a gateway. After a burst of a thousand gateways, a relay
 * would otherwise keep 30 MiB. No signal opens the debugger. The disabled warning is about type stripping.
 */
export const GATEWAY_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4', '--disable-sigusr1']
