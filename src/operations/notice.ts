import type { ConfirmationView, RequestView } from '../admin/contract/agents.ts'
import type { HostedView } from '../admin/contract/integrations.ts'
import type { AdminEvent } from '../admin/contract/events.ts'

/**
 * An event for administrators as a line of text. Names have no control characters, because they are checked when they
 * are stored.
 */
export function noticeOf(event: AdminEvent): string {
  switch (event.kind) {
    case 'agent_request':
      return `${agentOf(event.request)} asks for access ${senderOf(event.request)}; its code is ${event.request.code}. bin/hm agent accept ${event.request.code}, or deny.`
    case 'agent_request_ended':
      return `${agentOf(event.request)} (${event.request.code}): ${ENDED[event.how]}.`
    case 'agent_ended':
      return `${JSON.stringify(event.agent.label)} was ended: ${REUSED[event.why]} was used twice, so somebody else has it too. Connect the agent again if it is yours.`
    case 'confirmation':
      return `${calls(event.confirmation)} bin/hm agent confirm ${event.confirmation.id} (or tell the code ${event.confirmation.code} to the person who asks); --deny declines.`
    case 'confirmation_ended':
      return `${event.confirmation.id}, ${event.confirmation.what}: ${ANSWERED[event.how]}.`
    case 'watching':
      return 'Watching; Ctrl-C ends it.'
  }
}

const REUSED = {
  refresh_reused: 'one of its refresh tokens',
  code_reused: 'its authorization code',
} as const

const ENDED = {
  accepted: 'accepted',
  denied: 'denied',
  expired: 'expired, without an answer or without the agent returning',
  collected: 'connected; it has its token',
} as const
const ANSWERED = {
  confirmed: 'confirmed for one use',
  declined: 'declined',
  expired: 'expired',
  used: 'used its confirmation',
} as const

/** `"Claude" via "Claude Code"`, quoted, so that no name can be read as part of the sentence. */
export function agentOf({ name, platform }: Pick<RequestView, 'name' | 'platform'>): string {
  return `${JSON.stringify(name)} via ${JSON.stringify(platform)}`
}

/** Origin of a request; for a hosted platform its account, its redirect host, and the proof of its name. */
function senderOf({ client, peer }: Pick<RequestView, 'client' | 'peer'>): string {
  if (client === null) return `from ${peer}`
  const { account, redirectHost } = client
  return `for the account ${JSON.stringify(account)} of the relay, ${nameWorth(client)}, and gets its answer at ${JSON.stringify(redirectHost)}`
}

/** Proof of the name of a hosted platform's client. */
export function nameWorth({ id, proved }: Pick<HostedView, 'id' | 'proved'>): string {
  return proved ? `is named by ${JSON.stringify(id)}` : 'has named itself'
}

function calls({ label, integration, what }: ConfirmationView): string {
  return `${JSON.stringify(label)}${integration === null ? '' : `, of ${JSON.stringify(integration)},`} wants to ${what}.`
}
