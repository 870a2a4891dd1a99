import { type ListToolsResult, McpServer } from '@modelcontextprotocol/server'
import { INSTRUCTIONS } from './guide.ts'
import { registerPrompt, registerResources } from './resources.ts'
import { isObject } from '../lib/json.ts'
import type { Tool } from './tool.ts'
import { control } from './tools/control.ts'
import { house } from './tools/house.ts'
import { intents, setIntent } from './tools/intents.ts'
import { activity, energy, explain, sensors } from './tools/records.ts'
import { rename } from './tools/rename.ts'
import { rules, saveRule } from './tools/rules.ts'
import { state } from './tools/state.ts'

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

/** Follows the API, whose version it is. */
const IDENTITY = { name: 'hm-gateway', title: 'Home Control', version: '1.1.0' }

/** Nothing of what is listed ever changes while the gateway runs. */
const UNCHANGING = { listChanged: false }

/** What is asked of a server that is made for one request: to take up what nobody asks for is most of its work. */
type Asked = { readonly kind: 'list' } | { readonly kind: 'call'; readonly tool: Tool } | { readonly kind: 'other' }

const OTHER: Asked = { kind: 'other' }

/** @param message of the protocol, parsed and not checked; several in one are `other`. */
export function askedBy(message: unknown): Asked {
  if (!isObject(message)) return OTHER
  const { method, params } = message
  if (method === 'tools/list') return { kind: 'list' }
  if (method !== 'tools/call' || !isObject(params)) return OTHER
  const tool = TOOLS.find(({ name }) => name === params['name'])
  return tool === undefined ? OTHER : { kind: 'call', tool }
}

let list: ListToolsResult | null = null
/** The same for everybody for as long as the gateway runs, so that it is made once. */
const listed = (): ListToolsResult => (list ??= { tools: TOOLS.map((tool) => tool.listed()) })

let listJson: Buffer | null = null
/** The result of `tools/list` as JSON. */
export const listedJson = (): Buffer => (listJson ??= Buffer.from(JSON.stringify(listed())))

interface McpServerOptions {
  readonly sessionElicits?: boolean
  readonly asked?: Asked
}

/**
 * A server for one request, or for one session of a client that can be asked something. It keeps no caller: each call
 * brings its own.
 */
export function mcpServer({ sessionElicits = false, asked = OTHER }: McpServerOptions = {}): McpServer {
  const server = new McpServer(IDENTITY, {
    instructions: INSTRUCTIONS,
    capabilities: { tools: UNCHANGING, resources: UNCHANGING, prompts: UNCHANGING },
  })
  if (asked.kind === 'list') {
    server.server.setRequestHandler('tools/list', listed)
    return server
  }
  for (const tool of asked.kind === 'call' ? [asked.tool] : TOOLS) tool.register(server, sessionElicits)
  if (asked.kind === 'call') return server
  registerResources(server)
  registerPrompt(server)
  return server
}
