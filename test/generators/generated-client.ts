import { join } from 'node:path'

/** A client that is made of the document, and the program that tries it. */
export interface GeneratedClient {
  /** The language, which is the name of its folder too. */
  readonly language: string
  readonly generator: string
  /** Programs that the machine has to have. */
  readonly programs: readonly string[]
  /** Fetches the generator, as far as it is not there already. */
  fetch(folder: string): Promise<void>
  generate(folder: string, openapi: string): Promise<void>
  /** Fetches the libraries that the generated code needs, where they did not come with the generator. */
  resolve?(folder: string): Promise<unknown>
  /** Compiles the client and the program that tries it, where that is a step of its own. */
  compile?(folder: string): Promise<unknown>
  /** Runs the program against the gateway of `env`; answers what it printed. */
  try(folder: string, env: NodeJS.ProcessEnv): Promise<string>
}

/** The programs that use the generated clients, each in the folder of its language. */
export const PROGRAMS = join(import.meta.dirname, 'clients')
