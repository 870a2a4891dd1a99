import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { validated } from '../api/validate.ts'
import { type ErrorBody, type Fields, McpCaller } from './caller.ts'

/** What a tool is given beside its arguments. */
export interface ToolCall {
  readonly caller: McpCaller
  /** Whether the client can ask its user to fill in a form. */
  readonly elicits: boolean
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined
}

interface ToolDefinition<I extends z.ZodObject> {
  readonly title: string
  readonly description: string
  readonly input: I
  readonly output: z.ZodObject
  readonly reads?: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
  readonly run: (args: z.output<I>, call: ToolCall) => Promise<Fields | InputRequiredResult>
}

/** A tool as the server takes it. */
export interface Tool {
  readonly name: string
  readonly output: z.ZodObject
  register(server: McpServer, sessionElicits: boolean): void
}

/** Makes a tool of its definition: arguments are checked, answers structured, and every refusal has the Error shape. */
export function tool<const I extends z.ZodObject>(name: string, definition: ToolDefinition<I>): Tool {
  const { title, description, input, output, reads = false, destructive = false, idempotent = reads, run } = definition
  // A server is made for each request, and a schema is more work than all else of it.
  const inputSchema = unchecked(input)
  const outputSchema = described(output)
  const perform = async (args: unknown, call: ToolCall): Promise<CallToolResult | InputRequiredResult> => {
    try {
      const result = await run(validated(input, args, 'body'), call)
      return isInputRequest(result) ? result : answered(result, call.caller)
    } catch (error) {
      return refused(call.caller.refused(error))
    }
  }
  return {
    name,
    output,
    register: (server, sessionElicits) =>
      void server.registerTool(
        name,
        {
          title,
          description,
          inputSchema,
          outputSchema,
          annotations: {
            readOnlyHint: reads,
            destructiveHint: destructive,
            idempotentHint: idempotent,
            openWorldHint: false,
          },
        },
        (args, ctx) =>
          perform(args, {
            caller: callerOf(ctx),
            elicits: sessionElicits || elicitsByForm(declaredCapabilities(ctx)),
            inputResponses: ctx.mcpReq.inputResponses,
          }),
      ),
  }
}

/** A tool's answer, with its moments as the home's clocks show them and the zone that they are in. */
function answered(fields: Fields, { times }: McpCaller): CallToolResult {
  const result = { ...times.readable(fields), timeZone: times.timeZone }
  return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
}

function isInputRequest(result: Fields | InputRequiredResult): result is InputRequiredResult {
  return 'resultType' in result && result['resultType'] === 'input_required'
}

/**
 * A refusal as a tool error. A client holds structured content to the tool's output schema, so the Error shape travels
 * as text.
 */
function refused(body: ErrorBody): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(body) }], isError: true }
}

/** Whose request this is; the endpoint has put it there. */
export function callerOf(ctx: Pick<ServerContext, 'http'>): McpCaller {
  const caller = ctx.http?.authInfo?.extra?.['caller']
  if (!(caller instanceof McpCaller)) throw new Error('An MCP request did not come through the endpoint.')
  return caller
}

function declaredCapabilities(ctx: ServerContext): unknown {
  const envelope: Readonly<Record<string, unknown>> = ctx.mcpReq.envelope ?? {}
  return envelope[CLIENT_CAPABILITIES_META_KEY]
}

const CapabilityOfForms = z.looseObject({
  elicitation: z.looseObject({ form: z.unknown(), url: z.unknown() }).partial(),
})

/**
 * Whether a client's capabilities say that it shows forms: an empty `elicitation` does, as before there was another
 * kind.
 */
export function elicitsByForm(capabilities: unknown): boolean {
  const parsed = CapabilityOfForms.safeParse(capabilities)
  if (!parsed.success) return false
  const { form, url } = parsed.data.elicitation
  return form !== undefined || url === undefined
}

type Json = Record<string, unknown>

/** Made when it is first asked for, and then kept. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => (made ??= { value: make() }).value
}

/** A schema as the protocol shows it, in as few words as say the same; it checks as the zod schema does. */
function described(schema: z.ZodObject): StandardSchemaWithJSON {
  const json = once(() => compact(z.toJSONSchema(schema)) as Json)
  return {
    '~standard': {
      version: 1,
      vendor: 'hm',
      validate: (value) => schema['~standard'].validate(value),
      jsonSchema: { input: json, output: json },
    },
  }
}

/** Shown, but not checked here: the tool itself checks, so that its refusal has the Error shape. */
function unchecked(schema: z.ZodObject): StandardSchemaWithJSON {
  const json = once(() => compact(z.toJSONSchema(schema, { io: 'input' })) as Json)
  return {
    '~standard': {
      version: 1,
      vendor: 'hm',
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  }
}

/** Keywords that say nothing a reader needs; a model pays for every word of a schema. */
function compact(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(compact)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([key, value]) => key !== '$schema' && !isNoise(key, value))
  return Object.fromEntries(kept.map(([key, value]) => [key, compact(value)]))
}

function isNoise(key: string, value: unknown): boolean {
  // Lengths are checked, and told by the refusal of what is too long.
  if (key === 'minLength' || key === 'maxLength') return typeof value === 'number'
  if (key === 'additionalProperties' || key === 'propertyNames') return typeof value === 'object'
  return (
    (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) || (key === 'minimum' && value === Number.MIN_SAFE_INTEGER)
  )
}
