import { join } from 'node:path'
import { MissingPrerequisite } from '#support/project/missing-prerequisite.ts'
import { pythonEnvironment } from '../../python/environment.ts'

/** The interpreter of an environment with the official MCP client; null, with the reason printed, without one. */
export async function mcpPython(): Promise<string | null> {
  try {
    const requirements = join(import.meta.dirname, 'requirements.txt')
    return join(await pythonEnvironment('mcp-python', requirements), 'bin/python')
  } catch (error) {
    if (!(error instanceof MissingPrerequisite)) throw error
    console.log(`The MCP client of Python is not tried, because ${error.message}.`)
    return null
  }
}
