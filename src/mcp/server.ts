import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
  type ListToolsResult,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type Fields, type McpCaller, ToolRefusal } from './tools/mcp-caller.ts'
import { callerOf, type Tool } from './tools/tool.ts'
import { homeInShort, house, deviceInShort, state } from './tools/house.ts'
import { intentsInShort, intents, setIntent } from './tools/intents.ts'
import { isObject } from '../lib/json.ts'
import { control, rename } from './tools/control.ts'
import { activity, energy, explain, sensors } from './tools/records.ts'
import { rules, saveRule } from './tools/rules.ts'

/** How to use the home well, for a model (Spec 4 rules 1 to 9, docs/agents.md#mcp). */
const INSTRUCTIONS = [
  'This is one real home: what you do happens to people. Begin with the tool house, and use the ids that it gives; never invent or build an id.',
  '',
  '1. Use only the operations that a device lists, with values in their range (percent 0 to 100, degrees Celsius).',
  "2. Opening a lock or gate needs a person's yes every time. On confirmation_required tell your user what would be opened and the id of the " +
    'confirmation; an administrator answers it. Then send the same call again. Never try another way in, never guess a code, never ask again after a no.',
  '3. unit_unreachable and hmhc_unavailable: the unit did not confirm. Say so; do not claim that it was done.',
  '4. Everything that you change is logged under your name. Do only what your user asked for.',
  '5. Scenes name exposed devices only. Deleting scenes, automations and schedules is done in the app.',
  '6. Before you create or change an automation, schedule or scene, show your user what it will do and wait for their yes. ' +
    'Read it first and send its revision as ifRevision; after revision_mismatch read again and redo the edit.',
  '7. Only rooms, units and gangs can be renamed. Everything else about the structure is done in the app.',
  "8. A unit's own schedules can only be read.",
  '9. What explain and intents tell is partly from the cache (source cache, asOf): word it as "according to the last available data".',
  '',
  'not_found means that the thing does not exist for you: do not guess again. ' +
    'A refusal with appAction names the place in the app where a person can change that; tell them and stop.',
].join('\n')

const JSON_TYPE = 'application/json'

/** Resources for clients that attach documents: the home, the settings and each device. */
function registerResources(server: McpServer): void {
  server.registerResource(
    'house',
    'hm://house',
    {
      title: 'The home',
      description: 'Floors and rooms with their ids, and how many devices of each class they hold.',
      mimeType: JSON_TYPE,
    },
    (uri, ctx) => read(uri, ctx, (caller) => homeInShort(caller)),
  )
  server.registerResource(
    'intents',
    'hm://intents',
    {
      title: 'Settings of units',
      description: 'Every setting that units may have, in short.',
      mimeType: JSON_TYPE,
    },
    (uri, ctx) => read(uri, ctx, intentsInShort),
  )
  server.registerResource(
    'device',
    new ResourceTemplate('hm://devices/{id}', { list: undefined }),
    {
      title: 'A device',
      description: 'A unit, module, gang or scene by its id, with its state.',
      mimeType: JSON_TYPE,
    },
    (uri, { id }, ctx) => read(uri, ctx, (caller) => deviceInShort(caller, decoded(String(id), uri))),
  )
}

function decoded(id: string, uri: URL): string {
  try {
    return decodeURIComponent(id)
  } catch {
    throw new ResourceNotFoundError(uri.href)
  }
}

/** Prompt with the instructions, for clients whose users send them. */
function registerPrompt(server: McpServer): void {
  server.registerPrompt(
    'home',
    {
      title: 'Help with this home',
      description: 'How to use this home well, followed by your request.',
      argsSchema: z.object({ ask: z.string().max(2_000).optional() }),
    },
    ({ ask }) => ({
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: ask === undefined ? INSTRUCTIONS : `${INSTRUCTIONS}\n\n${ask}` },
        },
      ],
    }),
  )
}

/** Converts a refusal to a protocol error with the Error shape as data. */
async function read(
  uri: URL,
  ctx: ServerContext,
  answer: (caller: McpCaller) => Promise<Fields>,
): Promise<ReadResourceResult> {
  try {
    const caller = callerOf(ctx)
    const fields = { ...caller.times.readable(await answer(caller)), timeZone: caller.times.timeZone }
    return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(fields) }] }
  } catch (error) {
    if (!(error instanceof ToolRefusal)) throw error
    if (error.body.error.code === 'not_found') throw new ResourceNotFoundError(uri.href)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, error.body)
  }
}

/** Every tool, in the order in which a client shows them (docs/agents.md#mcp: at most 12). */
export const TOOLS: readonly Tool[] = [
  house,
  state,
  control,
  intents,
  setIntent,
  explain,
  activity,
  sensors,
  energy,
  rules,
  saveRule,
  rename,
]

/** Version of the API. */
const IDENTITY = { name: 'hm-gateway', title: 'Home Control', version: '1.1.0' }

/** Lists never change while the gateway runs. */
const UNCHANGING = { listChanged: false }

/** Parts needed by a server for one request, because registering unused parts takes most of its time. */
type ServerScope =
  | { readonly kind: 'list' }
  | { readonly kind: 'call'; readonly tool: Tool }
  | { readonly kind: 'other' }

const OTHER: ServerScope = { kind: 'other' }

/** @param message of the protocol, parsed and not checked; several in one are `other`. */
export function scopeOf(message: unknown): ServerScope {
  if (!isObject(message)) return OTHER
  const { method, params } = message
  if (method === 'tools/list') return { kind: 'list' }
  if (method !== 'tools/call' || !isObject(params)) return OTHER
  const tool = TOOLS.find(({ name }) => name === params['name'])
  return tool === undefined ? OTHER : { kind: 'call', tool }
}

let list: ListToolsResult | null = null
/** Created once, because it is the same for all callers while the gateway runs. */
const listed = (): ListToolsResult => (list ??= { tools: TOOLS.map((tool) => tool.listed()) })

let listJson: Buffer | null = null
/** The result of `tools/list` as JSON. */
export const listedJson = (): Buffer => (listJson ??= Buffer.from(JSON.stringify(listed())))

interface McpServerOptions {
  readonly sessionElicits?: boolean
  readonly scope?: ServerScope
}

/**
 * Creates a server for one request, or for a session of a client that can ask its user. It stores no caller: each call
 * has its own.
 */
export function mcpServer({ sessionElicits = false, scope = OTHER }: McpServerOptions = {}): McpServer {
  const server = new McpServer(IDENTITY, {
    instructions: INSTRUCTIONS,
    capabilities: { tools: UNCHANGING, resources: UNCHANGING, prompts: UNCHANGING },
  })
  if (scope.kind === 'list') {
    server.server.setRequestHandler('tools/list', listed)
    return server
  }
  for (const tool of scope.kind === 'call' ? [scope.tool] : TOOLS) tool.register(server, sessionElicits)
  if (scope.kind === 'call') return server
  registerResources(server)
  registerPrompt(server)
  return server
}
