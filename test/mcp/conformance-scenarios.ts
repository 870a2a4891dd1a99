import type { Revision } from './conformance-suite.ts'

/**
 * Expected result of a scenario of the official suite. `fits`: all checks pass. `fitsBut`: all checks except these pass.
 * `leftOut`: this server lacks the tested feature for a reason. `idle`: no check of the feature runs, and none fails.
 */
export type Fate =
  | 'fits'
  | { readonly fitsBut: Readonly<Record<string, string>> }
  | { readonly leftOut: string }
  | { readonly idle: string }

const BOTH = ['2026-07-28', '2025-11-25'] as const
const NEW = ['2026-07-28'] as const
const OLD = ['2025-11-25'] as const

/**
 * Most scenarios call fixtures that a server has only for the suite. This server has none, because it would offer them
 * to every agent of a home.
 */
const fixture = (name: string, why: string): Fate => ({ leftOut: `asks for ${name}, a fixture of the suite; ${why}` })
const NO_TASKS = 'The tasks extension is not offered: a tool call ends within the seconds that a unit has to answer.'
const CONFIRMATION =
  'asking for input is tested with the official client on the unlocking itself, the one call that needs it'

const ROWS: readonly (readonly [readonly Revision[], string, Fate])[] = [
  [OLD, 'server-initialize', 'fits'],
  [OLD, 'ping', 'fits'],
  [BOTH, 'tools-list', 'fits'],
  [BOTH, 'resources-list', 'fits'],
  [BOTH, 'prompts-list', 'fits'],
  [BOTH, 'dns-rebinding-protection', 'fits'],
  [BOTH, 'server-sse-multiple-streams', 'fits'],
  [NEW, 'caching', 'fits'],
  [NEW, 'sep-2164-resource-not-found', 'fits'],
  [NEW, 'http-header-validation', 'fits'],
  [NEW, 'input-required-result-unsupported-methods', 'fits'],
  [
    NEW,
    'server-stateless',
    {
      fitsBut: {
        'sep-2575-server-rejects-undeclared-capability':
          'needs the fixture tool test_missing_capability; no tool here depends on a capability of the client',
        'sep-2575-missing-capability-http-400':
          'needs the fixture tool test_missing_capability; no tool here depends on a capability of the client',
        'sep-2575-http-server-no-independent-requests-on-stream':
          'needs the fixture tool test_streaming_elicitation; no tool here streams',
        'sep-2575-server-no-log-without-loglevel':
          'needs the fixture tool test_logging_tool; clients get no log messages',
        'sep-2575-server-sends-prompts-list-changed-on-subscription':
          'is skipped: the list of prompts never changes, and the server says so',
        'sep-2575-server-sends-tools-list-changed-on-subscription':
          'is skipped: the list of tools never changes, and the server says so',
      },
    },
  ],

  [BOTH, 'tools-call-simple-text', fixture('the tool test_simple_text', 'tests of the tools read their texts')],
  [BOTH, 'tools-call-error', fixture('the tool test_error_handling', 'tests of refusals read tool errors')],
  [BOTH, 'tools-call-image', fixture('the tool test_image_content', 'a home has no pictures')],
  [BOTH, 'tools-call-audio', fixture('the tool test_audio_content', 'a home has no recordings')],
  [
    BOTH,
    'tools-call-embedded-resource',
    fixture('the tool test_embedded_resource', 'no answer of a tool carries a resource'),
  ],
  [
    BOTH,
    'tools-call-mixed-content',
    fixture('the tool test_multiple_content_types', 'every answer of a tool is one text'),
  ],
  [
    BOTH,
    'tools-call-with-progress',
    fixture('the tool test_tool_with_progress', 'a call has one answer, the confirmed state'),
  ],
  [OLD, 'tools-call-with-logging', fixture('the tool test_tool_with_logging', 'clients get no log messages')],
  [OLD, 'tools-call-sampling', fixture('the tool test_sampling', 'the gateway never asks a model')],
  [OLD, 'tools-call-elicitation', fixture('the tool test_elicitation', CONFIRMATION)],
  [
    OLD,
    'elicitation-sep1034-defaults',
    fixture('the tool test_elicitation_sep1034_defaults', 'the code of a confirmation has no default'),
  ],
  [
    OLD,
    'elicitation-sep1330-enums',
    fixture('the tool test_elicitation_sep1330_enums', 'the code of a confirmation is no choice of a list'),
  ],
  [BOTH, 'resources-read-text', fixture('the resource test://static-text', 'tests of the resources read hm://house')],
  [BOTH, 'resources-read-binary', fixture('the resource test://static-binary', 'a home has no binary resources')],
  [
    BOTH,
    'resources-templates-read',
    fixture('the resource test://template/123/data', 'tests of the resources read hm://devices/{id}'),
  ],
  [OLD, 'resources-subscribe', { leftOut: 'Resources have no subscriptions: live events come from GET /v1/stream.' }],
  [OLD, 'resources-unsubscribe', { leftOut: 'Resources have no subscriptions that could end.' }],
  [OLD, 'logging-set-level', { leftOut: 'Clients get no log messages: the activity has all events.' }],
  [
    BOTH,
    'completion-complete',
    { leftOut: 'Completion has no use: ids come from the house, and the prompt has no arguments.' },
  ],
  [
    BOTH,
    'prompts-get-simple',
    fixture('the prompt test_simple_prompt', 'tests of the prompt read the rules that it teaches'),
  ],
  [BOTH, 'prompts-get-with-args', fixture('the prompt test_prompt_with_arguments', 'the prompt has no arguments')],
  [
    BOTH,
    'prompts-get-embedded-resource',
    fixture('the prompt test_prompt_with_embedded_resource', 'the prompt is one text'),
  ],
  [BOTH, 'prompts-get-with-image', fixture('the prompt test_prompt_with_image', 'a home has no pictures')],

  [
    NEW,
    'input-required-result-basic-elicitation',
    fixture('the tool test_input_required_result_elicitation', CONFIRMATION),
  ],
  [
    NEW,
    'input-required-result-basic-sampling',
    fixture('the tool test_input_required_result_sampling', 'the gateway never asks a model'),
  ],
  [
    NEW,
    'input-required-result-basic-list-roots',
    fixture('the tool test_input_required_result_list_roots', 'the gateway has no use for the folders of a client'),
  ],
  [
    NEW,
    'input-required-result-request-state',
    fixture('the tool test_input_required_result_request_state', CONFIRMATION),
  ],
  [
    NEW,
    'input-required-result-multiple-input-requests',
    fixture('the tool test_input_required_result_multiple_inputs', 'a call asks for one thing, the code'),
  ],
  [
    NEW,
    'input-required-result-multi-round',
    fixture('the tool test_input_required_result_multi_round', 'a call asks for one thing, the code'),
  ],
  [
    NEW,
    'input-required-result-missing-input-response',
    fixture('the tool test_input_required_result_elicitation', CONFIRMATION),
  ],
  [
    NEW,
    'input-required-result-non-tool-request',
    fixture('the prompt test_input_required_result_prompt', 'no prompt asks for input'),
  ],
  [NEW, 'input-required-result-result-type', fixture('the tool test_input_required_result_elicitation', CONFIRMATION)],
  [
    NEW,
    'input-required-result-tampered-state',
    fixture('the tool test_input_required_result_tampered_state', 'the client gets no state that it could change'),
  ],
  [
    NEW,
    'input-required-result-capability-check',
    fixture('the tool test_input_required_result_capabilities', CONFIRMATION),
  ],
  [
    NEW,
    'input-required-result-ignore-extra-params',
    fixture('the tool test_input_required_result_elicitation', CONFIRMATION),
  ],
  [
    NEW,
    'input-required-result-validate-input',
    {
      idle: 'It calls the fixture tool test_input_required_result_elicitation, and mistakes the refusal of an unknown tool for the refusal of a bad answer.',
    },
  ],

  // The suite does not count extensions, later features, and scenarios that its own server fails.
  [
    BOTH,
    'json-schema-2020-12',
    fixture('the tool json_schema_2020_12_tool', 'the schemas of the tools are compiled as 2020-12 in their own test'),
  ],
  [
    NEW,
    'http-custom-header-server-validation',
    { leftOut: 'Arguments of tools are never sent as headers: the body has them all, and is checked.' },
  ],
  [
    OLD,
    'server-session-lifecycle',
    {
      idle: 'It tests servers with a session for every client; here only clients that take questions have one.',
    },
  ],
  [
    OLD,
    'server-sse-polling',
    { leftOut: 'Streams do not resume: an interrupted call is looked up in the activity, never run again.' },
  ],
  [NEW, 'tasks-lifecycle', { leftOut: NO_TASKS }],
  [NEW, 'tasks-capability-negotiation', { leftOut: NO_TASKS }],
  [NEW, 'tasks-wire-fields', { leftOut: NO_TASKS }],
  [NEW, 'tasks-request-state-removal', { leftOut: NO_TASKS }],
  [NEW, 'tasks-mrtr-input', { leftOut: NO_TASKS }],
  [NEW, 'tasks-request-headers', { leftOut: NO_TASKS }],
  [NEW, 'tasks-dispatch-and-envelope', { leftOut: NO_TASKS }],
  [NEW, 'tasks-status-notifications', { leftOut: NO_TASKS }],
  [NEW, 'tasks-required-task-error', { leftOut: NO_TASKS }],
  [NEW, 'tasks-mrtr-composition', { leftOut: NO_TASKS }],
]

/** Every scenario that the suite runs against servers of a revision, by name. */
export const scenariosOf = (revision: Revision): ReadonlyMap<string, Fate> =>
  new Map(ROWS.filter(([revisions]) => revisions.includes(revision)).map(([, name, fate]) => [name, fate]))
