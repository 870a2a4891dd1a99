import { z } from 'zod'
import { SERIAL } from './control.ts'

/**
 * Of the device flow's bodies (docs/agents.md#pairing), what a relay reads itself to find the gateway: both ends refuse
 * the same in the same words.
 */

/** 32 bytes as base64url have 43 characters; whatever is longer is no code of ours. */
const CODE_LENGTH_MAX = 128

/** The id of a gateway; whether it is this one's, or that of one that is there, is asked later. */
export const PairedGateway = z.string().regex(SERIAL, 'must be the id of a gateway: 12 small letters and digits')

export const PollBody = z.strictObject({ code: z.string().min(1).max(CODE_LENGTH_MAX) })
