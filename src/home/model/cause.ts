/**
 * Who or what made a change (Spec 2.6, docs/activity.md#a-cause). A cause is an argument of every write, stored with
 * the change when it happens; a chain (`by`) says what set the cause itself off: a light, by a scene, by an automation,
 * by a detection.
 */
export const CAUSE_SOURCES = [
  'person',
  'automation',
  'schedule',
  'scene',
  'integration',
  'agent',
  'voice',
  'platform',
  'unit',
  'gateway',
] as const
export type CauseSource = (typeof CAUSE_SOURCES)[number]

export interface Cause {
  readonly source: CauseSource
  /**
   * For people: `Anna`, `API: Dashboard`, `Agent: Claude via claude.ai`, `touched`, `motion`, `own timer`, the scene's
   * name.
   */
  readonly name: string
  /** Local id of what the cause is: the automation, schedule or scene, or the unit (`unit` or `unit:gang`). */
  readonly ref?: string
  /** The integration and credential (`link`) that asked, for causes of the API. */
  readonly integration?: string
  readonly link?: string
  /** The administrator who confirmed the agent's call, where it needed a confirmation (Spec 4 rule 2). */
  readonly confirmedBy?: string
  /** What set this cause off, where something did. */
  readonly by?: Cause
}

export const GATEWAY_CAUSE: Cause = { source: 'gateway', name: 'gateway' }

/** Chains are cut here: a longer one is a loop. */
export const CAUSE_DEPTH_MAX = 8

/**
 * Who is behind a cause: the credential that its chain names, else what began it. Requests to units take turns by it.
 */
export function whoAsks(cause: Cause): string {
  let at = cause
  while (at.link === undefined && at.by !== undefined) at = at.by
  return at.link ?? `${at.source}:${at.ref ?? at.name}`
}
