import type { ConfirmationView, RequestView } from '../api/admin/contract/agents.ts'
import type { AdminEvent } from '../api/admin/contract/events.ts'

/**
 * An event for administrators as one line of text. Names hold no control characters: they were checked when they were
 * stored.
 */
export function noticeOf(event: AdminEvent): string {
  switch (event.kind) {
    case 'agent_request':
      return `${agentOf(event.request)} asks for access from ${event.request.peer}; its code is ${event.request.code}. bin/hm agent accept ${event.request.code}, or deny.`
    case 'agent_request_ended':
      return `${agentOf(event.request)} (${event.request.code}): ${ENDED[event.how]}.`
    case 'confirmation':
      return `${calls(event.confirmation)} bin/hm agent confirm ${event.confirmation.id} (or tell the code ${event.confirmation.code} to who asks); --deny declines.`
    case 'confirmation_ended':
      return `${event.confirmation.id}, ${event.confirmation.what}: ${ANSWERED[event.how]}.`
    case 'watching':
      return 'Watching; Ctrl-C ends it.'
  }
}

const ENDED = {
  accepted: 'accepted',
  denied: 'denied',
  expired: 'expired, nobody answered or it never came back',
  collected: 'connected; it has its token',
} as const
const ANSWERED = {
  confirmed: 'confirmed, for this once',
  declined: 'declined',
  expired: 'expired',
  used: 'done with the word it had',
} as const

/** `"Claude" via "Claude Code"`, quoted, so that no name can be read as part of the sentence. */
export function agentOf({ name, platform }: Pick<RequestView, 'name' | 'platform'>): string {
  return `${JSON.stringify(name)} via ${JSON.stringify(platform)}`
}

function calls({ label, integration, what }: ConfirmationView): string {
  return `${JSON.stringify(label)}${integration === null ? '' : `, of ${JSON.stringify(integration)},`} wants to ${what}.`
}
