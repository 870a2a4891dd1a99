import { z } from 'zod'
import { strictObject } from '@hm-gateway/lib/late-object.ts'

/**
 * JSON bodies of the control stream (`:authority: control`): `request` by the relay, `response` by the gateway. A
 * refusal has the API's Error shape and its status. Both sides treat the other's bodies as hostile input.
 */

const name = z.string().min(1).max(200)
const address = z.string().min(1).max(64)
const seconds = z.int().min(0).max(31_536_000)
/** Longest wait before dialling again that a relay may ask for, in seconds. */
export const RETRY_SECONDS_MAX = 300
const retrySeconds = z.int().min(0).max(RETRY_SECONDS_MAX)
const epochMs = z.int().min(0)
/** A gateway's id. */
export const SERIAL = /^[a-z0-9]{12}$/
const serial = z.string().regex(SERIAL)
/** Name of a node; logs contain it. */
const NODE = /^[\w.-]{1,64}$/
const base64url = (bytesMin: number, bytesMax: number): z.ZodString =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .min(Math.floor((bytesMin * 4) / 3))
    .max(Math.ceil((bytesMax * 4) / 3) + 2)

/**
 * Mode for clients that connect to the gateway's own TLS through the relay: not allowed, allowed in addition to
 * requests, or only this.
 */
export const PASSTHROUGH = ['off', 'on', 'only'] as const
export type PassthroughMode = (typeof PASSTHROUGH)[number]

/**
 * `POST /hello`, the first stream. `slot` is 0 for the gateway's first tunnel and 1 for its second, at another node.
 * `epoch` grows with each dial: of two tunnels with one slot and key, the relay keeps the one with the higher epoch.
 */
export const hello = {
  request: strictObject(() => ({
    nonce: base64url(32, 32),
    node: z.string().regex(NODE),
    /** Current number of nodes; with two or more a gateway opens two tunnels, on different nodes. */
    nodes: z.int().min(1).max(10_000),
    /** The relay's public origin, `https://host[:port]`. */
    origin: z.string().max(300),
  })),
  response: strictObject(() => ({
    serial,
    /** Ed25519, raw 32 bytes. */
    publicKey: base64url(32, 32),
    /** Signature of serial, nonce and the TLS exporter, each preceded by its length. */
    signature: base64url(64, 64),
    slot: z.int().min(0).max(1),
    epoch: z.int().min(0),
    passthrough: z.enum(PASSTHROUGH),
    /** Pending request of an administrator: a code for another account, or unlinking. */
    wants: z.enum(['link', 'unlink']).nullable(),
  })),
}

/** Most accounts of one home. */
export const ACCOUNTS_OF_HOME_MAX = 32

/**
 * `POST /welcome`: sent after a valid proof, and again after each change of its content. If the home is not linked, it
 * is unreachable and its open streams end. `retryAfter` is set if the relay has no room for the tunnel and closes it.
 */
export const welcome = {
  request: strictObject(() => ({
    linked: z.boolean(),
    /** E-mail addresses of all linked accounts. */
    accounts: z.array(z.string().min(1).max(254)).max(ACCOUNTS_OF_HOME_MAX),
    retryAfter: retrySeconds.nullable(),
  })),
  response: z.strictObject({}),
}

/** Most notices in one message. */
export const NOTICES_MAX = 16

/**
 * `POST /notices`: notices about linked accounts for the home's activity. The relay ignores refusals by gateways that
 * do not know the message.
 */
export const notices = {
  request: strictObject(() => ({
    notices: z
      .array(
        strictObject(() => ({
          /** Sign-in from a device new to the account. */
          kind: z.literal('signed_in'),
          /** E-mail address. */
          account: z.string().min(1).max(254),
          /** `Firefox on Linux`. */
          browser: z.string().max(80),
          /** A shortened address. */
          place: z.string().max(64),
          at: epochMs,
        })),
      )
      .max(NOTICES_MAX),
  })),
  response: z.strictObject({}),
}

/** `POST /link`: code for the owner to type on the relay's page at `url`. */
export const link = {
  request: strictObject(() => ({ code: z.string().min(4).max(16), url: z.string().max(500), expiresAt: epochMs })),
  response: z.strictObject({}),
}

/** `POST /drain`: asks for a new tunnel after so many seconds, which replaces this one. */
export const drain = { request: strictObject(() => ({ retryAfter: retrySeconds })), response: z.strictObject({}) }

/**
 * `POST /replaced`: a tunnel with this epoch and the same slot and key replaced this one. A gateway that did not dial
 * it learns that another gateway has its key.
 */
export const replaced = { request: strictObject(() => ({ epoch: z.int().min(0) })), response: z.strictObject({}) }

/** `GET /label`: the house's name, for the page of a signed-in account that is linked. */
export const label = { response: strictObject(() => ({ house: z.string().max(200) })) }

/** `POST /agent-requests`: a hosted agent requests access after its user signed in at the relay. */
export const agentRequest = {
  request: strictObject(() => ({
    name,
    platform: name,
    /** Id of an integration; null lets the administrator choose. */
    record: z.string().max(64).nullable(),
    /** The OAuth client id. */
    client: z.string().min(1).max(2_048),
    /** Host of the OAuth redirect. */
    redirectHost: z.string().min(1).max(300),
    /** PKCE S256. */
    challenge: base64url(32, 32),
    /** Audience of the token: `mcp` or `mcp/r/{integration}`. */
    door: z.string().max(80),
    account: z.string().min(1).max(254),
    peer: address,
  })),
  response: strictObject(() => ({
    request: z.string().min(1).max(64),
    /** The matching code, `XXXX-XXXX`. */
    code: z.string().min(4).max(16),
    expiresAt: epochMs,
  })),
}

/** `GET /agent-requests/{request}`: waits up to 25 s for a decision. */
export const AGENT_REQUEST_WAIT_MS = 25_000
export const agentRequestStatus = {
  response: strictObject(() => ({ status: z.enum(['pending', 'accepted', 'denied', 'expired']) })),
}

/** `POST /tokens`: the code's redemption or a refresh; `expiresIn` in seconds. */
export const tokens = {
  request: z.union([
    strictObject(() => ({
      request: z.string().min(1).max(64),
      verifier: z.string().min(43).max(128),
      client: z.string().max(2_048),
    })),
    strictObject(() => ({
      refresh: z.string().max(300),
      client: z.string().max(2_048),
      /** Audience named by the client, if any; a different one is refused. */
      door: z.string().max(80).optional(),
    })),
  ]),
  /** `error` is RFC 6749's and RFC 8707's. */
  response: z.union([
    strictObject(() => ({
      access: z.string().max(300),
      refresh: z.string().max(300),
      expiresIn: seconds,
      door: z.string().max(80),
    })),
    strictObject(() => ({
      error: z.enum(['invalid_grant', 'invalid_target', 'slow_down']),
      retryAfter: seconds.optional(),
    })),
  ]),
}

/**
 * `POST /revocations`: revokes a client's token (RFC 7009), or the tokens of a request whose code was used twice (RFC
 * 6749 section 4.1.2).
 */
export const revocation = {
  request: z.union([
    strictObject(() => ({ token: z.string().max(300), client: z.string().max(2_048) })),
    strictObject(() => ({
      request: z.string().min(1).max(64),
      verifier: z.string().min(43).max(128),
      client: z.string().max(2_048),
    })),
  ]),
  response: z.strictObject({}),
}
