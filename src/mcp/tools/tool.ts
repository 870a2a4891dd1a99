import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  type ListToolsResult,
  type McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { refuse } from '../../api/errors.ts'
import { wrongDetails } from '../../api/validate.ts'
import { checked, sentenceOf, withKnownFields } from '../../lib/checked.ts'
import { isObject } from '../../lib/json.ts'
import { type ErrorBody, type Fields, McpCaller } from './mcp-caller.ts'
import { tolerated } from './tolerant.ts'

/** Context of a tool call. */
export interface ToolCall {
  readonly caller: McpCaller
  /** True if the client can show its user a form. */
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
  /** Exact schemas of arguments that the listed schema leaves open, depending on these arguments. */
  readonly inside?: (args: Fields) => Readonly<Record<string, z.ZodType | undefined>>
  readonly run: (args: z.output<I>, call: ToolCall) => Promise<Fields | InputRequiredResult>
}

/** A tool for the server. */
export interface Tool {
  readonly name: string
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /** Exact schemas of arguments that the listed schema leaves open, depending on these arguments. */
  readonly inside: (args: Fields) => Readonly<Record<string, z.ZodType | undefined>>
  /**
   * Validated arguments of a call. @throws Refusal that names the argument, or lists all arguments if one is unknown
   */
  readonly read: (args: unknown) => unknown
  /** Entry of `tools/list`. */
  listed(): ListedTool
  /** Result of a call by a client that cannot ask its user. */
  call(args: unknown, caller: McpCaller): Promise<CallToolResult | InputRequiredResult>
  register(server: McpServer, sessionElicits: boolean): void
}

type ListedTool = ListToolsResult['tools'][number]

/**
 * Creates a tool from its definition: arguments are validated, results are structured, and refusals have the Error
 * shape.
 */
export function tool<const I extends z.ZodObject>(name: string, definition: ToolDefinition<I>): Tool {
  const { title, description, input, output, reads = false, destructive = false, idempotent = reads, run } = definition
  const { inside = () => ({}) } = definition
  const read = (args: unknown): z.output<I> => argumentsOf(name, { input, inside }, args)
  const annotations = {
    readOnlyHint: reads,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: false,
  }
  // Computed once, because every request has its own server and schemas take most of the time.
  const inputSchema = once(() => schemaFor(input, 'input'))
  const outputSchema = once(() => schemaFor(output, 'output'))
  const perform = async (args: unknown, call: ToolCall): Promise<CallToolResult | InputRequiredResult> => {
    try {
      const result = await run(read(args), call)
      return isInputRequest(result) ? result : answered(result, call.caller)
    } catch (error) {
      return refused(call.caller.refused(error))
    }
  }
  return {
    name,
    input,
    output,
    inside,
    read,
    listed: () => ({
      name,
      title,
      description,
      inputSchema: inputSchema(),
      annotations,
      outputSchema: outputSchema(),
    }),
    call: (args, caller) => perform(args, { caller, elicits: false, inputResponses: undefined }),
    register: (server, sessionElicits) =>
      void server.registerTool(
        name,
        {
          title,
          description,
          // The library does not validate it: the tool does, so that its refusal has the Error shape.
          inputSchema: standard(inputSchema, (value) => ({ value })),
          outputSchema: standard(outputSchema, (value) => output['~standard'].validate(value)),
          annotations,
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

/**
 * Validates the arguments of a call and corrects common mistakes. @throws Refusal that names the argument, or lists all
 * arguments if one is unknown
 */
function argumentsOf<I extends z.ZodObject>(
  name: string,
  { input, inside }: Required<Pick<ToolDefinition<I>, 'input' | 'inside'>>,
  args: unknown,
): z.output<I> {
  const read = tolerated(input, args ?? {})
  const shapes = isObject(read) ? inside(read) : {}
  const whole = isObject(read)
    ? mapped(read, (value, key) => (shapes[key] ? tolerated(shapes[key], value) : value))
    : read
  const result = checked(input, whole)
  if (result.ok) return result.value
  if (result.error.field !== '') refuse('validation', wrongDetails(result.error, 'body'))
  const subject = result.error.known === undefined ? 'The arguments' : `The tool ${name}`
  refuse('validation', { message: sentenceOf(withKnownFields(result.error), subject) })
}

function mapped(fields: Fields, map: (value: unknown, key: string) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, map(value, key)]))
}

/** Result of a tool, with moments in local time and the time zone. */
function answered(fields: Fields, { times }: McpCaller): CallToolResult {
  const result = { ...times.readable(fields), timeZone: times.timeZone }
  return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
}

function isInputRequest(result: Fields | InputRequiredResult): result is InputRequiredResult {
  return 'resultType' in result && result['resultType'] === 'input_required'
}

/**
 * Refusal as a tool error. Clients validate structured content against the output schema, so the Error shape is text.
 */
function refused(body: ErrorBody): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(body) }], isError: true }
}

/** Caller of the request, set by the endpoint. */
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

/** True if a client can show forms. An empty `elicitation` also means forms, the default kind. */
export function elicitsByForm(capabilities: unknown): boolean {
  const parsed = CapabilityOfForms.safeParse(capabilities)
  if (!parsed.success) return false
  const { form, url } = parsed.data.elicitation
  return form !== undefined || url === undefined
}

/** Computes a value at the first call and caches it. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => (made ??= { value: make() }).value
}

/** Schema for the protocol, as short as possible. */
function schemaFor(schema: z.ZodObject, io: 'input' | 'output'): ListedTool['inputSchema'] {
  return compact(z.toJSONSchema(schema, { io })) as ListedTool['inputSchema']
}

/** Schema for the library. */
function standard(
  json: () => ListedTool['inputSchema'],
  validate: StandardSchemaWithJSON['~standard']['validate'],
): StandardSchemaWithJSON {
  return { '~standard': { version: 1, vendor: 'hm', validate, jsonSchema: { input: json, output: json } } }
}

/** Keywords of no use to readers; a model pays for every word of a schema. */
function compact(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(compact)
  if (typeof schema !== 'object' || schema === null) return schema
  const meaningful = Object.entries(schema).filter(([key, value]) => key !== '$schema' && !isNoise(key, value))
  return Object.fromEntries(meaningful.map(([key, value]) => [key, compact(value)]))
}

function isNoise(key: string, value: unknown): boolean {
  // Lengths are validated, and mentioned only in refusals.
  if (key === 'minLength' || key === 'maxLength') return typeof value === 'number'
  if (key === 'additionalProperties' || key === 'propertyNames') return typeof value === 'object'
  if (key === 'properties') return isObject(value) && Object.keys(value).length === 0
  return (
    (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) || (key === 'minimum' && value === Number.MIN_SAFE_INTEGER)
  )
}

/** Schemas shared by several tools; short, because every client pays for them in every conversation. */
export const Id = z.string().min(1).max(256).meta({ description: 'Its id.' })
export const Cursor = z.string().max(200).optional().meta({ description: 'nextCursor of the page before.' })

/** Default and largest number of rows. */
export const LIMIT_DEFAULT = 30
export const Limit = z.int().min(1).max(200).optional().meta({ description: 'Rows at most.' })

/** A row or object whose fields the descriptions name. */
export const Row = z.looseObject({})
export const NextCursor = z.string().nullable()

/** Page of a list, and the start of the next one; null at the end. */
interface Page<T> {
  readonly page: readonly T[]
  readonly total: number
  readonly nextCursor: string | null
}

/** Cuts a page. The cursor contains the position, so that no state is stored between calls. */
export function pageOf<T>(all: readonly T[], limit: number, cursor: string | undefined): Page<T> {
  const from = beginOf(cursor)
  return { page: all.slice(from, from + limit), total: all.length, nextCursor: cursorAfter(from + limit, all.length) }
}

/** Position in a cursor. */
export function beginOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : offsetOf(cursor)
}

/** Null at the end of a list of `total`. */
export function cursorAfter(to: number, total: number): string | null {
  return to < total ? cursorAt(to) : null
}

function cursorAt(offset: number): string {
  return Buffer.from(`p${offset}`).toString('base64url')
}

function offsetOf(cursor: string): number {
  const offset = /^p(\d{1,6})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1]
  if (offset === undefined) refuse('validation', { message: 'cursor: is not from this tool.' })
  return Number(offset)
}
