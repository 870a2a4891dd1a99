/**
 * Every refusal of the API: code, status, the app screen that can fix it, and one plain sentence. Spec 7 defines the
 * first block; the second is ours (docs/decisions/refusals.md#codes). A test compares this table with the OpenAPI
 * document and the pages.
 */
export const ERRORS = {
  unauthorized: {
    status: 401,
    message: 'This needs a valid credential: send "Authorization: Bearer <token>" with a token of this gateway.',
  },
  session_expired: { status: 401, message: 'This session has ended. Ask an administrator to accept a new one.' },
  record_disabled: {
    status: 403,
    appAction: 'integrations.record',
    message: 'This integration is disabled. An administrator can enable it again.',
  },
  unlock_not_allowed: {
    status: 403,
    appAction: 'integrations.record',
    message:
      'This integration may not unlock or open locks and gates. An administrator can allow it with allow_unlock.',
  },
  config_not_allowed: {
    status: 403,
    appAction: 'integrations.record',
    message:
      'This integration may not read or change unit settings in this way. An administrator can allow it with advanced_config.',
  },
  not_offered: { status: 403, message: 'This is not offered over the API; it is done in the app.' },
  structural_not_allowed: {
    status: 403,
    appAction: 'rooms',
    message:
      'Only the name of an exposed room, unit or gang can be changed, and only with structural on. Everything else about the structure is done in the app.',
  },
  not_found: { status: 404, message: 'There is no such thing here. Ids come from GET /v1/house.' },
  revision_mismatch: { status: 409, message: 'It was changed meanwhile. Read it again and redo the edit.' },
  validation: { status: 422, message: 'Something in the request is not valid.' },
  hmhc_unavailable: {
    status: 503,
    message:
      'The gateway cannot reach the units right now: its adapter is not ready. It keeps trying; check that the adapter is plugged in.',
  },
  unit_unreachable: {
    status: 504,
    message: 'The unit does not answer. Check that it has power and is in radio range.',
  },
  agent_access_disabled: {
    status: 403,
    appAction: 'integrations.record',
    message: 'Agent access is off for this integration. An administrator can turn it on.',
  },

  automations_not_allowed: {
    status: 403,
    appAction: 'integrations.record',
    message: 'This integration may not see automations. An administrator can turn automations on.',
  },
  schedules_not_allowed: {
    status: 403,
    appAction: 'integrations.record',
    message: 'This integration may not see schedules. An administrator can turn schedules on.',
  },
  tell_not_allowed: {
    status: 403,
    appAction: 'integrations.record',
    message: 'Rules of this integration may not send messages to people. An administrator can allow it with may_tell.',
  },
  cloud_access_disabled: {
    status: 403,
    appAction: 'integrations.record',
    message: 'This integration does not allow requests through the cloud. An administrator can turn cloud_access on.',
  },
  confirmation_required: {
    status: 403,
    appAction: 'integrations.confirm',
    message:
      'A person has to confirm this call. Ask for the confirmation, then send the same call again within 2 minutes.',
  },
  sign_in_again: {
    status: 403,
    message: 'Enter your password, use your passkey or open a new one-time link. Then try again.',
  },
  phrase_needed: { status: 422, message: 'This backup is encrypted and needs its recovery phrase of twelve words.' },
  wrong_phrase: {
    status: 422,
    message: 'This recovery phrase does not open this backup: it belongs to another backup.',
  },
  origin_not_allowed: { status: 403, message: 'Requests from web pages of other origins are not served.' },
  outcome_unknown: {
    status: 409,
    message:
      'The gateway stopped, or its disk failed, during this request, so its outcome is unknown. Read the present state, then send the request with a new Idempotency-Key.',
  },
  method_not_allowed: { status: 405, message: 'This path does not take this method.' },
  payload_too_large: { status: 413, message: 'The body is too large: 256 KiB at most.' },
  unsupported_media_type: { status: 415, message: 'Send the body as application/json, not compressed.' },
  misdirected_request: {
    status: 421,
    message: 'This gateway does not answer to that host name. Use its own name or one of its addresses.',
  },
  upgrade_required: { status: 426, message: 'This path is the live stream: connect with a WebSocket.' },
  rate_limited: { status: 429, message: 'Too many requests. Wait and try again.' },
  internal: { status: 500, message: 'Something went wrong on the gateway.' },
  storage_unavailable: {
    status: 503,
    message:
      'The gateway cannot store anything right now: its disk is full or accepts no writes. Reading and controlling go on.',
  },
  safe_mode: {
    status: 503,
    message:
      'The gateway failed to start several times in a row and serves only GET /v1/about. Its administrator finds the reason with `bin/hm status`.',
  },
  overloaded: { status: 503, message: 'The gateway is overloaded right now. Wait and try again.' },
  gateway_offline: {
    status: 503,
    message:
      'The home cannot be reached through the relay right now. Check that its gateway has power and internet, and try again.',
  },
  gateway_timeout: {
    status: 504,
    message:
      'The home did not answer in time. The request may have been carried out: read the present state before sending it again.',
  },
  relay_unavailable: {
    status: 503,
    message: 'The relay cannot serve this right now; at home the gateway still answers. Wait and try again.',
  },
} as const satisfies Record<string, { readonly status: number; readonly appAction?: string; readonly message: string }>

export type ErrorCode = keyof typeof ERRORS

/** One sentence, or two if callers of the API and of tools use different names for the same thing. */
export type Sentence = string | { readonly http: string; readonly tool: string }

/**
 * Maps a request's field to the tool's argument: `id` to `ids[1]`, or to '' if the tool has no such argument. Callers
 * of the API have no mapping.
 */
export type Naming = (field: string) => string

export interface RefusalDetails {
  /** Replaces the table's sentence; still one plain sentence, and never with a hidden name in it. */
  readonly message?: Sentence
  /** Invalid field; sentences for callers of tools begin with its argument. */
  readonly field?: string
  /** The field of a rule's part as a JSON Pointer: `/if/0/any/1`. */
  readonly at?: string
  /** Replaces the table's screen; null if no administrator can change this outcome. */
  readonly appAction?: string | null
  /** Seconds. */
  readonly retryAfter?: number
}

/** Refusal of an unknown rule, run or message; says where its ids come from, because the house does not list them. */
export function noSuchRule(kind: 'automation' | 'schedule' | 'run' | 'message'): RefusalDetails {
  const missing = `There is no such ${kind} here. Ids come from`
  const message = { http: `${missing} GET /v1/${kind}s.`, tool: `${missing} the tool rules with kind ${kind}.` }
  return { field: 'id', message }
}

/** Replacements for callers of tools of sentences that mention HTTP. */
const TOOL_SENTENCES: { readonly [C in ErrorCode]?: string } = {
  unauthorized: 'This needs a valid credential of an agent.',
  not_found: 'There is no such thing here. Ids come from the tool house.',
  unsupported_media_type: 'The arguments have to be JSON.',
  safe_mode: 'The gateway failed to start several times in a row and serves nothing now. Tell the user.',
}

/** Sentence of a refusal in the caller's terms. */
export function sentenceFor(code: ErrorCode, { message, field }: RefusalDetails, naming?: Naming): string {
  if (naming === undefined) return (typeof message === 'object' ? message.http : message) ?? ERRORS[code].message
  const text = (typeof message === 'object' ? message.tool : message) ?? TOOL_SENTENCES[code] ?? ERRORS[code].message
  if (field === undefined) return text
  const name = naming(field)
  if (name === '') return text.startsWith('There ') ? text : `The call ${text}`
  return `${name}: ${text.charAt(0).toLowerCase()}${text.slice(1)}`
}

/** The Error shape of Spec 7: `{error: {code, message, appAction?, retryAfter?}}`, and `at` for a part of a rule, scene or group. */
export function errorBody(
  code: ErrorCode,
  details: RefusalDetails = {},
  naming?: Naming,
): { error: { code: ErrorCode; message: string; appAction?: string; retryAfter?: number; at?: string } } {
  const declared: { readonly status: number; readonly appAction?: string } = ERRORS[code]
  const { appAction = declared.appAction ?? null } = details
  return {
    error: {
      code,
      message: sentenceFor(code, details, naming),
      ...(appAction === null ? {} : { appAction }),
      ...(details.retryAfter === undefined ? {} : { retryAfter: details.retryAfter }),
      ...(details.at === undefined ? {} : { at: details.at }),
    },
  }
}

/** Refusal of one part of a call whose other parts continue; the same as the content of the Error shape. */
export type Refused = ReturnType<typeof errorBody>
