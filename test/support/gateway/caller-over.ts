import { type Access, HttpCaller, type RawCaller, StreamCaller } from './callers.ts'
import { ToolCaller } from './mcp-test-caller.ts'
import type { TransportName } from './verifies.ts'

export function callerOver(transport: TransportName, access: Access): RawCaller {
  switch (transport) {
    case 'http':
      return new HttpCaller(access)
    case 'stream':
      return new StreamCaller(access)
    case 'mcp':
      return new ToolCaller(new HttpCaller(access))
  }
}
