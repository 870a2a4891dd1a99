import { z } from 'zod'
import { SERIAL } from '@hm-gateway/wire/control.ts'

/**
 * Subjects of the bus (docs/relay.md#scale-it). The number is the version of all that is said under them: messages gain
 * fields that may be missing, so that nodes of two builds understand each other while one replaces the other.
 */
export const SUBJECTS = {
  /** Who is there. */
  nodes: 'hmr.v1.nodes',
  /** Asks who holds a gateway: interest in this subject is the relay's routing table. */
  where: (gateway: string) => `hmr.v1.where.${gateway}`,
  /** A gateway has a new tunnel. */
  up: (gateway: string) => `hmr.v1.up.${gateway}`,
  everyUp: 'hmr.v1.up.*',
  /** A node holds no tunnel of a gateway any more. */
  down: (gateway: string) => `hmr.v1.down.${gateway}`,
  everyDown: 'hmr.v1.down.*',
  /** To all nodes: whose a gateway is has changed. */
  tellAll: 'hmr.v1.tell.all',
  /** To one node: send your gateways away. */
  tellNode: (node: string) => `hmr.v1.tell.node.${node}`,
} as const

const node = z.string().regex(/^[a-z0-9]{1,64}$/)
const slot = z.int().min(0).max(1)
const epoch = z.int().min(0)

/** The node that holds a gateway, where it takes others' streams, and what both sides prove themselves by. */
export const Holder = z.object({
  node,
  host: z.string().min(1).max(253),
  port: z.int().min(1).max(65_535),
  /** SHA-256 of its public key, base64url. */
  spki: z.string().length(43),
  /** Who shows it was told over the bus where the node is. */
  secret: z.string().length(43),
})
export type Holder = z.infer<typeof Holder>

/** Nodes of before tell no key. */
export const Up = z.object({ node, slot, epoch, publicKey: z.string().max(64).nullable().default(null) })
export type Up = z.infer<typeof Up>

export const Here = z.object({ node, isHere: z.boolean() })
export type Here = z.infer<typeof Here>

export const LinkTold = z.object({ gateway: z.string().regex(SERIAL) })
export type LinkTold = z.infer<typeof LinkTold>

export const Order = z.object({ order: z.literal('drain') })

/** Of a stream between nodes: which gateway it is for, and the secret of the node that holds it. */
export const GATEWAY_HEADER = 'hm-gateway'
export const SECRET_HEADER = 'hm-secret'
