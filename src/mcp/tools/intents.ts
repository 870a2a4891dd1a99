import { z } from 'zod'
import { refuse } from '../../api/errors.ts'
import { INTENT_DEFINITIONS } from '../../intents/index.ts'
import type { Fields, McpCaller } from './mcp-caller.ts'
import { tool, Id, Row } from './tool.ts'

const Intent = z.string().min(1).max(64).meta({ description: 'Name of a setting.' })

/** Unit settings in plain words (Spec 2.7) with explanations. */
export const intents = tool('intents', {
  title: 'Settings of units',
  description:
    'Settings of units in plain words (LEDs, delays, motion, brightness, climate). With device: its settings with value and asOf; they come from the cache, so say "according to the last available data". ' +
    'With intent: its definition (meaning, when to use it, side effects, examples, shape of the value); read it before set_intent. Without arguments: all of them in short. read_only ones carry guidance on what to do instead.',
  reads: true,
  input: z.strictObject({ device: Id.optional(), intent: Intent.optional() }),
  output: z.looseObject({
    house: z.string(),
    intents: z.array(z.looseObject({ intent: z.string() })),
    definition: Row.optional(),
  }),
  run: async ({ device, intent }, { caller }) => {
    if (device === undefined && intent === undefined) return intentsInShort(caller)
    const matches = (entry: { readonly intent: string }): boolean => intent === undefined || entry.intent === intent
    const list = device === undefined ? null : await caller.naming({ id: 'device' }).ask('intents.list', { id: device })
    const items = list === null ? [] : list.intents.filter(matches)
    const own = list === null ? {} : { house: list.house, device, access: list.access, note: list.note }
    const defined = intent === undefined ? {} : await definition(caller, intent)
    return { ...defined, ...own, intents: items }
  },
})

/** Changes one setting. */
export const setIntent = tool('set_intent', {
  title: 'Change a setting of a unit',
  description:
    'Changes one read_write setting of a unit or gang and answers it as confirmed. The shape of value is in the definition (tool intents with intent). Needs the setting advanced_config read_write.',
  destructive: true,
  idempotent: true,
  input: z.strictObject({
    device: Id,
    intent: Intent,
    value: z.unknown().meta({ description: 'As its definition says.' }),
  }),
  inside: ({ intent }) => ({ value: valueOf(intent) }),
  output: z.looseObject({ house: z.string(), device: z.string(), intent: z.looseObject({ intent: z.string() }) }),
  run: ({ device, intent, value }, { caller }) =>
    caller.naming({ id: 'device' }).ask('intents.write', { id: device, intent, body: { value } }),
})

const valueShapes = new Map<string, z.ZodType>()

/** Schema of a setting's value; undefined for an unknown setting. */
function valueOf(intent: unknown): z.ZodType | undefined {
  const definition = INTENT_DEFINITIONS.find(({ id }) => id === intent)
  if (definition === undefined) return undefined
  const shape = valueShapes.get(definition.id) ?? z.fromJSONSchema(definition.value)
  valueShapes.set(definition.id, shape)
  return shape
}

/** All intents with their subjects. */
export async function intentsInShort(caller: McpCaller): Promise<Fields> {
  const { house, intents: all } = await caller.ask('intents.definitions')
  return {
    house,
    intents: all.map(({ id, title, access, models }) => ({
      intent: id,
      title,
      access,
      models: models.join(' '),
    })),
  }
}

async function definition(caller: McpCaller, intent: string): Promise<Fields> {
  const { house, intents: all } = await caller.ask('intents.definitions')
  const found = all.find(({ id }) => id === intent)
  if (!found)
    refuse('not_found', {
      field: 'intent',
      message: 'There is no such setting. The tool intents without device and intent lists all.',
    })
  return { house, definition: found }
}
