import { McpServer } from '@modelcontextprotocol/server'
import { INSTRUCTIONS } from './guide.ts'
import { registerPrompt, registerResources } from './resources.ts'
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

/**
 * A server for one request, or for one session of a client that can be asked something. It keeps no caller: each call
 * brings its own.
 */
export function mcpServer({ sessionElicits = false } = {}): McpServer {
  const server = new McpServer(IDENTITY, {
    instructions: INSTRUCTIONS,
    capabilities: { tools: UNCHANGING, resources: UNCHANGING, prompts: UNCHANGING },
  })
  for (const tool of TOOLS) tool.register(server, sessionElicits)
  registerResources(server)
  registerPrompt(server)
  return server
}
