import { z } from 'zod'

/**
 * Bodies of the control stream (`:authority: control`): the relay asks, the gateway answers, both as JSON. A refusal is
 * the service's Error shape with its status. Both sides read what comes as hostile input.
 */

const name = z.string().min(1).max(200)
const address = z.string().min(1).max(64)
const seconds = z.int().min(0).max(31_536_000)
/** A relay asks for no longer a wait than this before a gateway dials anew. */
export const RETRY_SECONDS_MAX = 300
const retrySeconds = z.int().min(0).max(RETRY_SECONDS_MAX)
const epochMs = z.int().min(0)
/** A gateway's id. */
export const SERIAL = /^[a-z0-9]{12}$/
const serial = z.string().regex(SERIAL)
/** A node's name: it is written into logs. */
const NODE = /^[\w.-]{1,64}$/
const base64url = (bytesMin: number, bytesMax: number): z.ZodString =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .min(Math.floor((bytesMin * 4) / 3))
    .max(Math.ceil((bytesMax * 4) / 3) + 2)

/** Whether clients reach the gateway's own TLS through the relay: not, beside requests, or in no other way. */
export const PASSTHROUGH = ['off', 'on', 'only'] as const
export type Passthrough = (typeof PASSTHROUGH)[number]

/** `POST /hello`, the first stream: `slot` is which of the gateway's tunnels this is; `epoch` grows with each dial. */
export const hello = {
  ask: z.strictObject({
    nonce: base64url(32, 32),
    node: z.string().regex(NODE),
    /** How many nodes the relay has now: from two on, a gateway keeps two tunnels, on different nodes. */
    nodes: z.int().min(1).max(10_000),
    /** The relay's public origin, `https://host[:port]`. */
    origin: z.string().max(300),
  }),
  answer: z.strictObject({
    serial,
    /** Ed25519, raw 32 bytes. */
    publicKey: base64url(32, 32),
    /** Of serial, nonce and the TLS exporter, each preceded by its length. */
    signature: base64url(64, 64),
    slot: z.int().min(0).max(1),
    epoch: z.int().min(0),
    passthrough: z.enum(PASSTHROUGH),
    /** What the gateway's administrator asked for just now: a code for one more account, or to be unlinked. */
    wants: z.enum(['link', 'unlink']).nullable(),
  }),
}

/** Accounts of one home. */
export const ACCOUNTS_OF_HOME_MAX = 32

/**
 * `POST /welcome`: the proof was right; and again after each change of what it says. Where the home is not linked it is
 * reached no longer, and what is open through the tunnel ends. `retryAfter` is for one that the relay has no room for,
 * and which it ends then.
 */
export const welcome = {
  ask: z.strictObject({
    linked: z.boolean(),
    /** E-mail addresses of all accounts that may choose this home now. */
    accounts: z.array(z.string().min(1).max(254)).max(ACCOUNTS_OF_HOME_MAX),
    retryAfter: retrySeconds.nullable(),
  }),
  answer: z.strictObject({}),
}

/** Notices in one message. */
export const NOTICES_MAX = 16

/**
 * `POST /notices`: news of linked accounts, for the home's activity. A gateway that does not know the message refuses
 * it, and the relay goes on.
 */
export const notices = {
  ask: z.strictObject({
    notices: z
      .array(
        z.strictObject({
          /** Somebody signed in from a device that the account did not know. */
          kind: z.literal('signed_in'),
          /** E-mail address. */
          account: z.string().min(1).max(254),
          /** `Firefox on Linux`. */
          browser: z.string().max(80),
          /** A shortened address. */
          place: z.string().max(64),
          at: epochMs,
        }),
      )
      .max(NOTICES_MAX),
  }),
  answer: z.strictObject({}),
}

/** `POST /link`: what the owner types on the relay's page at `url`. */
export const link = {
  ask: z.strictObject({ code: z.string().min(4).max(16), url: z.string().max(500), expiresAt: epochMs }),
  answer: z.strictObject({}),
}

/** `POST /drain`: dial anew after so many seconds, then close this tunnel. */
export const drain = { ask: z.strictObject({ retryAfter: retrySeconds }), answer: z.strictObject({}) }

/**
 * `POST /replaced`: a tunnel of the same slot and key, of this epoch, has the place of this one. A gateway that did not
 * dial it knows then that somebody else has its key.
 */
export const replaced = { ask: z.strictObject({ epoch: z.int().min(0) }), answer: z.strictObject({}) }

/** `GET /label`: the house's name, for the page of a signed-in account that is linked. */
export const label = { answer: z.strictObject({ house: z.string().max(200) }) }

/** `POST /agent-requests`: a hosted agent asks, after its user signed in at the relay. */
export const agentRequest = {
  ask: z.strictObject({
    name,
    platform: name,
    /** An integration's id, or null for whichever the administrator chooses. */
    record: z.string().max(64).nullable(),
    /** The OAuth client id. */
    client: z.string().min(1).max(2_048),
    /** Where the answer goes. */
    redirectHost: z.string().min(1).max(300),
    /** PKCE S256. */
    challenge: base64url(32, 32),
    /** `mcp` or `mcp/r/{integration}`: the door that the token is for. */
    door: z.string().max(80),
    account: z.string().min(1).max(254),
    peer: address,
  }),
  answer: z.strictObject({
    request: z.string().min(1).max(64),
    /** The matching code, `XXXX-XXXX`. */
    code: z.string().min(4).max(16),
    expiresAt: epochMs,
  }),
}

/** `GET /agent-requests/{request}`: waits up to 25 s for a decision. */
export const AGENT_REQUEST_WAIT_MS = 25_000
export const agentRequestStatus = {
  answer: z.strictObject({ status: z.enum(['pending', 'accepted', 'denied', 'expired']) }),
}

/** `POST /tokens`: the code's redemption or a refresh; `expiresIn` in seconds. */
export const tokens = {
  ask: z.union([
    z.strictObject({
      request: z.string().min(1).max(64),
      verifier: z.string().min(43).max(128),
      client: z.string().max(2_048),
    }),
    z.strictObject({
      refresh: z.string().max(300),
      client: z.string().max(2_048),
      /** The door that the client names, where it names one: of another nothing is minted. */
      door: z.string().max(80).optional(),
    }),
  ]),
  /** `error` is RFC 6749's and RFC 8707's. */
  answer: z.union([
    z.strictObject({
      access: z.string().max(300),
      refresh: z.string().max(300),
      expiresIn: seconds,
      door: z.string().max(80),
    }),
    z.strictObject({ error: z.enum(['invalid_grant', 'invalid_target', 'slow_down']), retryAfter: seconds.optional() }),
  ]),
}

/**
 * `POST /revocations`: RFC 7009, for a token that the client holds; or RFC 6749 section 4.1.2, for the tokens of a
 * request whose code was shown again.
 */
export const revocation = {
  ask: z.union([
    z.strictObject({ token: z.string().max(300), client: z.string().max(2_048) }),
    z.strictObject({
      request: z.string().min(1).max(64),
      verifier: z.string().min(43).max(128),
      client: z.string().max(2_048),
    }),
  ]),
  answer: z.strictObject({}),
}
