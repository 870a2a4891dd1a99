import { type Access, HttpCaller, type RawCaller, StreamCaller } from './callers.ts'
import { McpCaller } from './mcp-caller.ts'
import type { Transport } from './verifies.ts'

export function callerOver(transport: Transport, access: Access): RawCaller {
  switch (transport) {
    case 'http':
      return new HttpCaller(access)
    case 'stream':
      return new StreamCaller(access)
    case 'mcp':
      return new McpCaller(new HttpCaller(access))
  }
}
