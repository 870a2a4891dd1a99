import { AdminSocket } from '../src/cli/commands/context.ts'

interface Asked {
  readonly name: string
  /** As `--expose` takes it. */
  readonly expose: readonly string[]
  readonly settings: Readonly<Record<string, string>>
}

/** Makes an integration with a key at a gateway of the benchmark; resolves to the key's token. */
export async function newKey(dataDir: string, asked: Asked): Promise<string> {
  const { integration } = await administered<{ integration: { id: string } }>(dataDir, '/integrations', asked)
  return (await administered<{ token: string }>(dataDir, '/keys', { integration: integration.id })).token
}

/** The same for an agent. */
export async function newAgent(dataDir: string, asked: Asked): Promise<string> {
  const { integration } = await administered<{ integration: { id: string } }>(dataDir, '/integrations', asked)
  const agent = { integration: integration.id, name: asked.name, platform: 'Bench' }
  return (await administered<{ token: string }>(dataDir, '/agents', agent)).token
}

async function administered<T>(dataDir: string, path: string, body: object): Promise<T> {
  const answer = await new AdminSocket(dataDir).exchange('POST', `/admin/v1${path}`, body)
  if (answer.status >= 300) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as T
}
