import type { Door, HostedClient } from '../../auth/credentials/credentials.ts'

/** The columns of a hosted platform's client, in every table of what belongs to one; null of every other agent. */
export interface HostedRow {
  hosted_client: string | null
  redirect_host: string | null
  door: Door | null
  account: string | null
}

export function hostedValues(hosted: HostedClient | null): object {
  const { client = null, redirectHost = null, door = null, account = null } = hosted ?? {}
  return { client, redirectHost, door, account }
}

export function hostedOf({
  hosted_client: client,
  redirect_host: redirectHost,
  door,
  account,
}: HostedRow): HostedClient | null {
  if (client === null || redirectHost === null || door === null || account === null) return null
  return { client, redirectHost, door, account }
}
