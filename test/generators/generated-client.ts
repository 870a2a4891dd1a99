import { join } from 'node:path'

/** A generated client, and the program that uses it. */
export interface GeneratedClient {
  /** The language, also the name of its folder. */
  readonly language: string
  readonly generator: string
  /** Required programs of the machine. */
  readonly programs: readonly string[]
  /** Fetches the generator if it is missing. */
  fetch(folder: string): Promise<void>
  generate(folder: string, openapi: string): Promise<void>
  /** Fetches libraries of the generated code that did not come with the generator. */
  resolve?(folder: string): Promise<unknown>
  /** Compiles the client and the program, if the language needs it. */
  compile?(folder: string): Promise<unknown>
  /** Runs the program against the gateway of `env`. Returns its output. */
  try(folder: string, env: NodeJS.ProcessEnv): Promise<string>
}

/** The programs that use the generated clients, each in the folder of its language. */
export const PROGRAMS = join(import.meta.dirname, 'clients')
