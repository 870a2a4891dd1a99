import { z } from 'zod'
import { SERIAL } from '@hm-gateway/wire/relay-messages.ts'

/**
 * Subjects of the bus (docs/relay.md#scale-it), with the version of their messages. New fields of a message are
 * optional, so that nodes of two versions understand each other during an update.
 */
export const SUBJECTS = {
  /** A node is present or leaves. */
  nodes: 'hmr.v1.nodes',
  /** Asks for the node that has a gateway's tunnel. The subscriptions are the relay's routing table. */
  where: (gateway: string) => `hmr.v1.where.${gateway}`,
  /** A gateway has a new tunnel. */
  tunnelUp: (gateway: string) => `hmr.v1.up.${gateway}`,
  anyTunnelUp: 'hmr.v1.up.*',
  /** A node has lost its last tunnel of a gateway. */
  tunnelDown: (gateway: string) => `hmr.v1.down.${gateway}`,
  anyTunnelDown: 'hmr.v1.down.*',
  /** Tells all nodes that the accounts of a gateway have changed. */
  linkChanged: 'hmr.v1.tell.all',
  /** Orders one node to move its gateways to other nodes. */
  nodeOrder: (node: string) => `hmr.v1.tell.node.${node}`,
} as const

const node = z.string().regex(/^[a-z0-9]{1,64}$/)
const slot = z.int().min(0).max(1)
const epoch = z.int().min(0)

/** A node with a gateway's tunnel: its address for other nodes, and its key and secret. */
export const Holder = z.object({
  node,
  host: z.string().min(1).max(253),
  port: z.int().min(1).max(65_535),
  /** SHA-256 of its public key, base64url. */
  spki: z.string().length(43),
  /** Other nodes send it with each stream, to show that they are on the bus. */
  secret: z.string().length(43),
})
export type Holder = z.infer<typeof Holder>

/** Earlier versions send no key. */
export const TunnelUp = z.object({ node, slot, epoch, publicKey: z.string().max(64).nullable().default(null) })
export type TunnelUp = z.infer<typeof TunnelUp>

export const NodePresence = z.object({ node, isHere: z.boolean() })
export type NodePresence = z.infer<typeof NodePresence>

export const LinkMessage = z.object({ gateway: z.string().regex(SERIAL) })
export type LinkMessage = z.infer<typeof LinkMessage>

export const NodeOrder = z.object({ order: z.literal('drain') })

/** Headers of a stream between nodes: the serial of its gateway, and the secret of the receiving node. */
export const GATEWAY_HEADER = 'hm-gateway'
export const SECRET_HEADER = 'hm-secret'
