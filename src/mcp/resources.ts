import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type Fields, type McpCaller, ToolRefusal } from './caller.ts'
import { INSTRUCTIONS } from './guide.ts'
import { callerOf } from './tool.ts'
import { homeInShort } from './tools/house.ts'
import { intentsInShort } from './tools/intents.ts'
import { deviceInShort } from './tools/state.ts'

const JSON_TYPE = 'application/json'

/** The home, the settings and each device, for clients that attach what they read. */
export function registerResources(server: McpServer): void {
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

/** The instructions once more, for clients that leave them to the user to send. */
export function registerPrompt(server: McpServer): void {
  server.registerPrompt(
    'home',
    {
      title: 'Help with this home',
      description: 'How to use this home well, followed by what you want.',
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

/** A refusal is an error of the protocol here, with the Error shape as its data. */
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
