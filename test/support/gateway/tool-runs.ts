/**
 * Requirements whose tests run over the agents' tools in `npm test` too. They cover each tool that performs requests,
 * and each of its refusals. `npm run test:long` runs the others over the tools.
 */
const BY_TOOL = {
  activity: ['activity.filters'],
  control: ['4.rule2.agent', '4.rule3.unreachable', '4.rule3.unavailable'],
  energy: ['refusals.message'],
  explain: ['automations.run-stop', 'explain.newest'],
  intents: ['4.intent-write', '7.shape'],
  rename: ['4.device-rename', '4.room-rename'],
  rules: ['automations.runs', '4.unit-schedules', 'automations.dry-run-draft'],
  save_rule: ['2.5.visible-automations', '7.shape'],
  sensors: ['activity.readings'],
  set_intent: ['4.intent-write'],
} satisfies Readonly<Record<string, readonly string[]>>

/** A tool that performs requests of tests. */
export type CarryingTool = keyof typeof BY_TOOL

export const RUN_WITH_TOOLS: ReadonlySet<string> = new Set(Object.values(BY_TOOL).flat())
