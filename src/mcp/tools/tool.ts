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
import { type ErrorBody, type Fields, McpCaller } from './caller.ts'
import { tolerated } from './tolerant.ts'

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
  /** The shapes of arguments that the listed schema shows as plain objects or values, as far as these arguments say. */
  readonly inside?: (args: Fields) => Readonly<Record<string, z.ZodType | undefined>>
  readonly run: (args: z.output<I>, call: ToolCall) => Promise<Fields | InputRequiredResult>
}

/** A tool as the server takes it. */
export interface Tool {
  readonly name: string
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /** The shapes of arguments that the listed schema leaves open, as far as these arguments say. */
  readonly inside: (args: Fields) => Readonly<Record<string, z.ZodType | undefined>>
  /**
   * The arguments of a call as the tool understands them.
   * @throws Refusal that names the argument, and those that there are where one is unknown.
   */
  readonly read: (args: unknown) => unknown
  /** As `tools/list` shows it. */
  listed(): ListedTool
  register(server: McpServer, sessionElicits: boolean): void
}

type ListedTool = ListToolsResult['tools'][number]

/** Makes a tool of its definition: arguments are checked, answers structured, and every refusal has the Error shape. */
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
  // A server is made for each request, and a schema is more work than all else of it.
  const shownInput = once(() => shown(input, 'input'))
  const shownOutput = once(() => shown(output, 'output'))
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
      inputSchema: shownInput(),
      annotations,
      outputSchema: shownOutput(),
    }),
    register: (server, sessionElicits) =>
      void server.registerTool(
        name,
        {
          title,
          description,
          // Not checked there: the tool itself checks, so that its refusal has the Error shape.
          inputSchema: standard(shownInput, (value) => ({ value })),
          outputSchema: standard(shownOutput, (value) => output['~standard'].validate(value)),
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
 * The arguments of a call, read as the schema means them.
 * @throws Refusal that names the argument, and those that there are where one is unknown.
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

/** Made when it is first asked for, and then kept. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => (made ??= { value: make() }).value
}

/** A schema as the protocol shows it, in as few words as say the same. */
function shown(schema: z.ZodObject, io: 'input' | 'output'): ListedTool['inputSchema'] {
  return compact(z.toJSONSchema(schema, { io })) as ListedTool['inputSchema']
}

/** A schema as the library takes it. */
function standard(
  json: () => ListedTool['inputSchema'],
  validate: StandardSchemaWithJSON['~standard']['validate'],
): StandardSchemaWithJSON {
  return { '~standard': { version: 1, vendor: 'hm', validate, jsonSchema: { input: json, output: json } } }
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

/** Shapes that several tools take or answer. Short: every client pays for them with every conversation. */
export const Id = z.string().min(1).max(256).meta({ description: 'Its id.' })
export const Cursor = z.string().max(200).optional().meta({ description: 'nextCursor of the page before.' })

/** How many rows an answer has unless told otherwise, and at most. */
export const LIMIT_DEFAULT = 30
export const Limit = z.int().min(1).max(200).optional().meta({ description: 'Rows at most.' })

/** A row or object whose fields the descriptions name. */
export const Row = z.looseObject({})
export const NextCursor = z.string().nullable()

/** A page of a list, and where the next begins; null at the end. */
interface Page<T> {
  readonly page: readonly T[]
  readonly total: number
  readonly nextCursor: string | null
}

/** Cuts a page. A cursor says where it goes on, so that nothing is kept for a client between two calls. */
export function pageOf<T>(all: readonly T[], limit: number, cursor: string | undefined): Page<T> {
  const from = beginOf(cursor)
  return { page: all.slice(from, from + limit), total: all.length, nextCursor: cursorAfter(from + limit, all.length) }
}

/** Where the page of a cursor begins. */
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
  if (offset === undefined) refuse('validation', { message: 'cursor: is not one that this tool gave.' })
  return Number(offset)
}
