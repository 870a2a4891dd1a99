import { z } from 'zod'
import { SERIAL } from './relay-messages.ts'

/**
 * Fields of the device flow that a relay reads to find the gateway (docs/agents.md#pairing). Relay and gateway refuse
 * them in the same words.
 */

/** Longest code; ours have a serial and 43 characters. */
const CODE_LENGTH_MAX = 128

/** Id of a gateway, which may be unknown or another one's. */
export const PairedGateway = z.string().regex(SERIAL, 'must be the id of a gateway: 12 small letters and digits')

export const PollBody = z.strictObject({ code: z.string().min(1).max(CODE_LENGTH_MAX) })
