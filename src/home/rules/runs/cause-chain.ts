import { CAUSE_DEPTH_MAX, type Cause, type CauseSource } from '../../model/events.ts'
import type { Author, Origin } from '../../model/house.ts'
import { partsOf } from '../../model/rule-parts.ts'
import type { GroupTarget } from '../../model/groups.ts'
import type { Condition, Trigger } from '../../model/rules.ts'
import type { GroupReader } from '../../ports/group-reader.ts'
import type { StateReader } from '../../ports/unit-bus.ts'

/**
 * Chains of causes, and the credentials that answer for openings.
 *
 * A home fact is something about the home that callers change and rules read: the mode, the presence of a person, the
 * members of a named group. A change of a fact by a caller who may not open entrances never leads to an opening,
 * however long the chain. Each kind of fact needs three places: `factCause` makes the cause of the event that triggers
 * rules (with its source in `REPEATING`), or `causesOfTrigger` returns the causes of a fact that a trigger reads;
 * `causesRead` returns the causes of the facts that conditions read; and a step that changes a fact hands on the cause of
 * its run. Everything between keeps the credentials by itself. A step that lets something open later, such as switching
 * on a rule, checks `answerableFor` its run's cause.
 */

/** Most credentials of each kind behind a cause. With more, its consequences open nothing. */
export const BEHIND_MAX = 32
/** A credential that does not exist, so that it may open nothing. */
const NOBODY: Origin = { integration: '', link: '' }
/**
 * Sources that may occur twice in a chain: the automation between the two brings them about again, and without that
 * link a loop would be invisible.
 */
const REPEATING: readonly CauseSource[] = ['scene', 'mode', 'presence']

/**
 * Appends the chain `by` to the cause `self`. If the automation is already in that chain, the chain continues from that
 * place: it still names the start of the loop and does not grow. A long chain loses its beginning. The credentials of
 * the links that are left out stay with `self`.
 */
export function causedBy(self: Cause, by: Cause | undefined): Cause {
  if (by === undefined) return self
  const all = linksOf(by)
  const before = REPEATING.includes(self.source) ? undefined : findLink(self, by)
  const start = before === undefined ? 0 : all.indexOf(before) + 1
  const end = start + CAUSE_DEPTH_MAX - 1
  const leftOut = [...all.slice(0, start), ...all.slice(end)]
  const whole = withCredentials(self, { behind: leftOut.flatMap(namedBy), answerable: leftOut.flatMap(answering) })
  const chain = all.length > end ? linked(all.slice(start, end)) : all[start]
  return chain === undefined ? whole : { ...whole, by: chain }
}

/** The cause of a run, with the author of its rule or scene. */
export function authored(self: Cause, author: Author): Cause {
  return author === null ? self : withCredentials(self, { behind: [author], answerable: [] })
}

/** A changed home fact as a cause; `by` changed it. */
export function factCause(fact: Pick<Cause, 'source' | 'name' | 'ref'>, by: Cause): Cause {
  return havingRead(causedBy(fact, by), [by])
}

/** The cause of a run that read home facts, which came about by `facts`; the same object if they name nobody. */
export function havingRead(cause: Cause, facts: readonly Cause[]): Cause {
  return withCredentials(cause, { behind: [], answerable: credentialsBehind(facts) })
}

/** Readers of home facts. */
export interface HomeFacts {
  readonly states: Pick<StateReader, 'mode' | 'presence'>
  readonly groups: Pick<GroupReader, 'author'>
}

/** Causes of the home facts that conditions read now: the mode, presence, and the members of named groups. */
export function causesRead(conditions: readonly Condition[], { states, groups }: HomeFacts): readonly Cause[] {
  return [...partsOf({ if: conditions })].flatMap(({ part }) => {
    if ('person' in part) return states.presence(part.person).causes
    if ('group' in part) return causesOfGroup(part, groups)
    return 'mode' in part ? [states.mode().cause] : []
  })
}

/** Causes of what a trigger reads besides its event: the members of its named group. */
export function causesOfTrigger(trigger: Trigger, groups: Pick<GroupReader, 'author'>): readonly Cause[] {
  return 'group' in trigger ? causesOfGroup(trigger, groups) : []
}

function causesOfGroup(target: GroupTarget, groups: Pick<GroupReader, 'author'>): readonly Cause[] {
  const author = groups.author(target)
  return author === null ? [] : [{ source: 'integration', name: '', ...author }]
}

/** Every credential that brought these facts about, also by authors of rules. */
export function credentialsBehind(facts: readonly Cause[]): readonly Origin[] {
  const all = facts.flatMap(linksOf)
  return unique([...all.flatMap(namedBy), ...all.flatMap(answering)])
}

/** Credentials behind all home facts that led to a cause. All of them must be allowed to open. */
export function answerableFor(cause: Cause): readonly Origin[] {
  return unique(linksOf(cause).flatMap(answering))
}

/** The chain's link that is the same rule or scene, if there is one. */
export function findLink(self: Cause, chain: Cause | undefined): Cause | undefined {
  for (let link = chain; link !== undefined; link = link.by) {
    if (link.source === self.source && link.ref !== undefined && link.ref === self.ref) return link
  }
  return undefined
}

/** True if a chain has the full length, so that its beginning may be missing. */
export function isAtFullDepth(chain: Cause | undefined): boolean {
  return chain !== undefined && linksOf(chain).length >= CAUSE_DEPTH_MAX
}

/** Every link of a chain, the newest first. */
function linksOf(chain: Cause): readonly Cause[] {
  const links: Cause[] = []
  for (let link: Cause | undefined = chain; link !== undefined; link = link.by) links.push(link)
  return links
}

/** A chain of these links alone. */
function linked(links: readonly Cause[]): Cause | undefined {
  return links.reduceRight<Cause | undefined>((older, link) => {
    const { by: _, ...alone } = link
    return older === undefined ? alone : { ...alone, by: older }
  }, undefined)
}

/** An agent's confirmation counts for its own call alone, so it is left out. */
function namedBy({ integration, link = '', behind = [] }: Cause): readonly Origin[] {
  return integration === undefined ? behind : [{ integration, link }, ...behind]
}

function answering({ answerable = [] }: Cause): readonly Origin[] {
  return answerable
}

function withCredentials(cause: Cause, more: Required<Pick<Cause, 'behind' | 'answerable'>>): Cause {
  if (more.behind.length === 0 && more.answerable.length === 0) return cause
  const behind = unique([...(cause.behind ?? []), ...more.behind])
  const answerable = unique([...(cause.answerable ?? []), ...more.answerable])
  return { ...cause, ...(behind.length > 0 && { behind }), ...(answerable.length > 0 && { answerable }) }
}

function unique(all: readonly Origin[]): readonly Origin[] {
  const byKey = new Map(all.map(({ integration, link }) => [`${integration} ${link}`, { integration, link }]))
  return byKey.size > BEHIND_MAX ? [NOBODY] : [...byKey.values()]
}
