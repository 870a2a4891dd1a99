import { CAUSE_DEPTH_MAX, type Cause } from '../../model/cause.ts'

/**
 * The cause `self` as set off by `by`. Where an automation stands in that chain already, the chain goes on from that
 * place, so that it still names what began the loop and does not grow. A scene may stand there twice: what lies between
 * is the automation that ran it again, without which a loop would not be seen.
 */
export function setOffBy(self: Cause, by: Cause | undefined): Cause {
  if (by === undefined) return self
  const before = self.source === 'scene' ? undefined : linkTo(self, by)
  const chain = before === undefined ? by : before.by
  return chain === undefined ? self : { ...self, by: cut(chain, CAUSE_DEPTH_MAX - 1) }
}

/** The link of the chain that is the same rule or scene, if there is one. */
export function linkTo(self: Cause, chain: Cause | undefined): Cause | undefined {
  for (let link = chain; link !== undefined; link = link.by) {
    if (link.source === self.source && link.ref !== undefined && link.ref === self.ref) return link
  }
  return undefined
}

/** Whether a chain has the full length, so that its beginning may have been cut off. */
export function isAtFullDepth(chain: Cause | undefined): boolean {
  let depth = 0
  for (let link = chain; link !== undefined; link = link.by) depth += 1
  return depth >= CAUSE_DEPTH_MAX
}

/** Whether an automation is in the chain. */
export function comesOfAutomation(chain: Cause | undefined): boolean {
  for (let link = chain; link !== undefined; link = link.by) if (link.source === 'automation') return true
  return false
}

function cut(chain: Cause, depth: number): Cause {
  if (chain.by === undefined) return chain
  if (depth > 1) return { ...chain, by: cut(chain.by, depth - 1) }
  const { by: _, ...last } = chain
  return last
}
