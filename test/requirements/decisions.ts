import { requirementsOf, type Requirement } from '../requirements.ts'

/** What the specification leaves open and the project decided; an id begins with the name of the page that says so. */
export const DECISIONS: readonly Requirement[] = [
  ...requirementsOf('docs/decisions/requests.md', [
    ['requests.strict-bodies', 'both', 'An unknown field in a body is 422 validation that names it.'],
    ['requests.malformed', 'http', 'Malformed JSON is 422 validation.'],
    ['requests.media-type', 'http', 'A body of another media type is 415 unsupported_media_type.'],
    ['requests.too-large', 'http', 'A body over 256 KiB is 413 payload_too_large.'],
    ['requests.method', 'both', 'A known path with a wrong method is 405 method_not_allowed; over HTTP with Allow.'],
    ['requests.method-beside', 'http', 'Beside the service too: 405 with Allow at the documents, the stream and MCP.'],
    ['requests.head', 'http', 'HEAD is answered like GET, without a body.'],
    [
      'requests.gzip',
      'http',
      'Large answers that are kept go out as gzip when asked for, with Vary and a tag of their own.',
    ],
    ['requests.unknown-path', 'both', 'An unknown path is 404 not_found.'],
    ['requests.times', 'both', 'Times are epoch milliseconds.'],
    ['requests.created', 'all', 'What creates answers 201 with a Location.'],
  ]),

  ...requirementsOf('docs/decisions/refusals.md', [
    [
      'refusals.authentication-first',
      'both',
      'Without a valid credential everything under /v1 but about is 401, known path or not.',
    ],
    [
      'refusals.message',
      'all',
      'A message is one plain sentence without a hidden name, a stack or SQL; validation names the field.',
    ],
    [
      'refusals.disabled',
      'both',
      'record_disabled has the appAction integrations.record, since an administrator can enable it again.',
    ],
    ['refusals.order', 'both', 'A hidden id is 404 before any knob, body or unit is looked at.'],
    ['refusals.body-ids', 'all', 'A hidden id in a body is 404, after the body’s form was checked.'],
    ['refusals.rule-gate', 'all', 'While automations or schedules are off, every id gets the same 403, known or not.'],
    ['refusals.structural', 'both', 'structural_not_allowed says which of its reasons holds.'],
    ['refusals.query', 'both', 'A wrong query says what is wrong: out of which range, or given more than once.'],
    ['refusals.left-alone', 'both', 'A unit that is left alone after silences is 504 with retryAfter.'],
    ['refusals.line-retry', 'both', 'hmhc_unavailable says when the line is tried again, where that is known.'],
    ['refusals.ids', 'both', 'A 404 says where such ids come from: of rules, their list.'],
    ['refusals.challenge', 'http', 'Every 401 has WWW-Authenticate: Bearer.'],
    ['refusals.internal', 'none', 'A defect is 500 internal with a reference that the log has too.'],
  ]),

  ...requirementsOf('docs/decisions/host-and-origin.md', [
    ['host-and-origin.host', 'http', 'A Host that is not the gateway’s is 421 misdirected_request.'],
    ['host-and-origin.no-host', 'http', 'HTTP/1.1 without a Host is 400 in the one shape.'],
    ['host-and-origin.host-upgrade', 'stream', 'An upgrade with a Host that is not the gateway’s is refused.'],
    ['host-and-origin.origin', 'http', 'An Origin other than the gateway’s own is 403 origin_not_allowed.'],
    ['host-and-origin.origin-upgrade', 'stream', 'An upgrade with an Origin other than the gateway’s own is refused.'],
  ]),

  ...requirementsOf('docs/decisions/exposure.md', [
    [
      'exposure.picks',
      'both',
      'Selected picks floors, rooms, units, single gangs and scenes; a module brings all its gangs.',
    ],
    ['exposure.scenes', 'both', 'A scene is visible only when picked itself, never through its room.'],
    [
      'exposure.hidden-room',
      'both',
      'A picked unit or gang whose room is hidden has room and floor null; the unit is in the house’s units.',
    ],
    ['exposure.floor', 'both', 'A floor appears only when picked.'],
    ['exposure.single-gangs', 'both', 'A module of which single gangs are picked appears with just those.'],
    [
      'exposure.structural',
      'both',
      'structural goes off by itself where a new exposure does not offer it, and the answer says so.',
    ],
    ['exposure.scene-members', 'all', 'A scene’s members and steps name exposed devices only.'],
  ]),

  ...requirementsOf('docs/decisions/credentials.md', [
    ['credentials.secret-stored', 'none', 'Of a token’s secret only the SHA-256 is stored.'],
    ['credentials.secret-random', 'none', 'A secret is 32 random bytes in base64url; link is the credential’s id.'],
    ['credentials.log', 'none', 'No token reaches the log, from header, query, body or the stream’s address.'],
    ['credentials.last-used', 'none', 'Last use is written at most every 30 seconds, and at stop.'],
    [
      'credentials.steady',
      'none',
      'A clock that jumps neither revives nor ends a credential, a request or a confirmation.',
    ],
  ]),

  ...requirementsOf('docs/api.md', [
    ['api.batch', 'both', 'Many devices are controlled in one call, with one result each in the order asked.'],
    ['api.batch-place', 'both', 'The devices of a room or floor that take an operation are controlled in one call.'],
    [
      'api.idempotency',
      'both',
      'A write that comes again under the same Idempotency-Key is made once, and answered the same.',
    ],
    ['api.idempotency-other', 'both', 'The key of another request is 422 validation; credentials do not share keys.'],
    ['api.idempotency-undone', 'both', 'A key whose request was refused before anything was done may be used again.'],
    ['api.idempotency-restart', 'none', 'Keys are kept across restarts; after a crash a write is made no second time.'],
    ['api.idempotency-bound', 'none', 'Keys are kept for 24 hours, the last 1,000 of a credential.'],
    ['api.about', 'http', 'The about text is text/plain and names neither home nor gateway.'],
    ['api.filters', 'both', 'The house, states and sensors can be cut to a room, a class, or both.'],
    [
      'api.tags',
      'http',
      'Scenes, rules and settings have tags too, that change with what is seen of them and nothing else.',
    ],
    ['api.time-zone', 'both', 'The integration and the house say the home’s time zone and currency.'],
    ['api.named-shapes', 'none', 'Every object of the documents has a name, and every field says what it is.'],
    ['api.numbers-with-sizes', 'none', 'Every number of the documents has a size; queries of numbers are integers.'],
    ['api.states-by-class', 'none', 'The state of every class is a shape with all its fields.'],
    ['api.read-is-sent', 'none', 'What a body takes of what an answer gives has the same shape in both.'],
    ['api.growing-words', 'none', 'Words of answers that may grow are no closed list.'],
    ['api.plain-patterns', 'none', 'Patterns of the documents are read by common engines.'],
    ['api.conditional-reads', 'none', 'If-None-Match, 304 and 431 are in the document.'],
    ['api.refused-apart', 'none', 'Calls that are always refused are a group of their own.'],
    [
      'api.examples',
      'none',
      'The documents show what the demo home is asked and answers: examples that it still answers so.',
    ],
    [
      'api.descriptions',
      'none',
      'Every field and parameter of the documents says what it is, and in which unit of measure.',
    ],
  ]),

  ...requirementsOf('docs/devices.md', [
    ['devices.tag', 'http', 'If-None-Match with the tag, W/ or not, in a list, or * is 304 while nothing changed.'],
    ['devices.device', 'both', 'GET /v1/devices/{id} answers house and device.'],
    ['devices.renamed', 'all', 'PATCH /v1/devices/{id} answers house and `device: {id, name}`.'],
    ['devices.operations', 'both', 'Each class has exactly its operations.'],
    [
      'devices.state-confirmed',
      'both',
      'The state after a control is what the unit confirmed, never what was asked for.',
    ],
    ['devices.reachable', 'both', 'A unit says whether it answers: false while a command would be 504.'],
    [
      'devices.light',
      'both',
      'A switch or switch gang says whether it feeds a lamp, or null; others have no such field.',
    ],
    ['devices.last-seen', 'both', 'A unit says when it last told something that the integration sees.'],
    ['devices.as-of', 'both', 'A state carries asOf.'],
    ['devices.other-class', 'both', 'A unit of another class on the bus than in the house is not controlled.'],
    ['devices.unsupported', 'all', 'An operation that the device lacks, or a bad argument, is 422 validation.'],
  ]),

  ...requirementsOf('docs/automations.md', [
    ['automations.if-revision', 'all', 'An edit without ifRevision is 422 validation.'],
    ['automations.plain-names', 'both', 'Names and icons are plain text: no control or invisible characters.'],
    [
      'automations.atomic-revision',
      'both',
      'Of racing edits of one revision one wins; the others get 409 and change nothing.',
    ],
    [
      'automations.scene',
      'all',
      'A scene also has icon, revision, origin, members, hiddenMembers and running; alone also its visible steps.',
    ],
    ['automations.step', 'all', 'A step is a device with op and args, or a delay of 0.1 to 3600 seconds; at most 100.'],
    [
      'automations.hidden-steps',
      'all',
      'Editing steps replaces the visible ones and leaves the hidden ones in place, in their order.',
    ],
    ['automations.runs', 'all', 'A run is told by its id: its state, until when it waits, what became of its steps.'],
    ['automations.run-stop', 'all', 'A run can be stopped before its next step; the activity says by whom.'],
    ['automations.run-hidden', 'all', 'A run of what is not seen is 404; of another only the seen steps are told.'],
    ['automations.run-stop-opens', 'both', 'Stopping a run that opens an entrance needs allow_unlock.'],
    [
      'automations.leave',
      'both',
      'A step of a rule or scene opens only while whoever saved it may open; else it is skipped and logged with its cause.',
    ],
    [
      'automations.leave-kept',
      'both',
      'An edit that says what a rule does makes its editor the author; a name does not.',
    ],
    [
      'automations.openers-off',
      'both',
      'What ends a key or an integration switches off the rules that open by its authority, and names them.',
    ],
    ['automations.openers-warned', 'both', 'An import names what opens though its author may not.'],
    ['automations.import', 'both', 'Importing an exported house changes nothing; scenes keep origin and revision.'],
    [
      'automations.dry-run',
      'all',
      'A dry run tells each step with the refusal of the run, conditions as they are and the next runs; nothing comes of it.',
    ],
    ['automations.dry-run-draft', 'all', 'A draft is refused exactly as it would be when it is created.'],
    ['automations.dry-run-true', 'both', 'What a dry run tells is what saving and running then do.'],
    ['automations.leave-asked', 'both', 'A run that waits opens afterwards only while whoever asked for it may open.'],
    [
      'automations.automation',
      'all',
      'An automation has id, name, enabled, revision, origin, when, if, then and mode.',
    ],
    ['automations.triggers', 'both', 'Triggers are states, readings, detections, times of day, the sun and scenes.'],
    ['automations.conditions', 'both', 'Conditions are the same as predicates, and time windows.'],
    [
      'automations.modes',
      'none',
      'A running automation that triggers again is left, restarted or queued, as its mode says.',
    ],
    ['automations.schedule', 'all', 'A schedule has id, name, enabled, revision, origin, at, days, then and next.'],
    [
      'automations.daylight-saving',
      'none',
      'A time that is skipped runs at the next valid minute; a repeated one runs once.',
    ],
    ['automations.missed', 'none', 'A run missed by up to 5 minutes runs late; an older one is logged as missed.'],
    ['automations.sensing', 'all', 'A reading or detection that the device does not have is 422 and says what it has.'],
    ['automations.possible', 'all', 'A test that no value of the device passes is 422 and says what is possible.'],
    ['automations.new-revision', 'all', 'A body that creates may have ifRevision null, and no other.'],
    ['automations.scene-place', 'all', 'A room and a floor of a scene that do not fit each other are 422.'],
    ['automations.sent-back', 'all', 'What was read is an edit too; what the gateway keeps cannot be changed by it.'],
    ['automations.switched-off', 'both', 'Switching off or renaming what opens needs no leave and keeps its author.'],
    ['automations.loops', 'none', 'An automation that triggers itself over 10 times a minute is paused and logged.'],
  ]),

  ...requirementsOf('docs/intents.md', [
    ['intents.age', 'none', 'asOf is that of the oldest register that the value is made of, so a write makes it new.'],
    ['intents.shapes', 'both', 'Each writable intent takes its lowest and highest value and refuses what lies beyond.'],
    [
      'intents.read-only',
      'all',
      'A read-only intent is not_offered with appAction unit.menus whenever advanced_config is not off.',
    ],
    ['intents.schema', 'both', 'An IntentDef’s value is a JSON Schema that its values fit.'],
    ['intents.unknown', 'both', 'A value that no unit confirmed is null with asOf null.'],
    ['intents.read-back', 'both', 'A write is read back from the unit before it is answered and cached.'],
    ['intents.failed-write', 'both', 'A write that fails leaves the last confirmed value in the cache.'],
    [
      'intents.restart',
      'both',
      'After a restart without an adapter the list answers with the old values and their asOf.',
    ],
  ]),

  ...requirementsOf('docs/activity.md', [
    ['activity.created', 'both', 'The entry of a scene, automation or schedule that was created names it.'],
    ['activity.sensors', 'both', 'A sensor has id, name, class, room, floor, readings and asOf.'],
    ['activity.detections', 'both', 'Detections have at, kind and value; limit is 50 unless told, at most 200.'],
    ['activity.cursor', 'both', 'A cursor loses and repeats nothing while detections arrive.'],
    [
      'activity.readings',
      'all',
      'A device’s readings over time come as min, mean and max of the parts of a range, from whatever is stored.',
    ],
    ['activity.limit', 'both', 'Activity’s limit is 50 unless told, at most 200.'],
    [
      'activity.filters',
      'all',
      'Activity can be cut to a kind, a source and a rule, judged by what the integration is shown.',
    ],
    ['activity.paging', 'both', 'Paging by nextTo loses and repeats nothing and never splits a millisecond.'],
    ['activity.chain', 'both', 'Causes chain: a scene run by an automation that a detection set off says so.'],
  ]),

  ...requirementsOf('docs/energy.md', [
    ['energy.fields', 'both', 'Energy has scope, from, to, energy, cost, currency, tariff and series.'],
    ['energy.periods', 'both', 'Periods are the current hour, day, week, month and year in the home’s time zone.'],
    ['energy.no-tariff', 'both', 'Without a tariff cost is null.'],
    ['energy.standing', 'both', 'The standing charge counts for the house of an integration that exposes everything.'],
    ['energy.tariff', 'both', 'A tariff may have times of use.'],
  ]),

  ...requirementsOf('docs/explain.md', [['explain.why-not', 'both', 'Explain tells why something did not happen.']]),

  ...requirementsOf('docs/stream.md', [
    ['stream.topics', 'stream', 'Topics are the kinds of events, device:, room:, floor: with an id, and *.'],
    [
      'stream.lists',
      'stream',
      'scenes, automations and schedules tell id, revision and change of what changed in them.',
    ],
    ['stream.lists-hidden', 'stream', 'What is hidden in a list, or a list whose knob is off, makes no event.'],
    ['stream.integration', 'stream', 'integration tells that the knobs or the exposure of this integration changed.'],
    ['stream.hidden-topic', 'stream', 'A topic outside the exposure is 404 not_found for that message.'],
    ['stream.subscribe', 'stream', 'subscribe adds topics; an empty list ends all.'],
    [
      'stream.subscribed',
      'stream',
      'A subscribe with an id is answered `{id, status: 200, body: {house, subscribed}}`.',
    ],
    ['stream.exposure-bites', 'stream', 'A changed exposure or knob bites on an open socket at once.'],
    ['stream.revoked', 'stream', 'A revoked credential closes its sockets with 4401.'],
    [
      'stream.slow-reader',
      'stream',
      'For a slow reader pending states of one device collapse to the newest; nothing final is lost.',
    ],
    ['stream.knob-bites-waiting', 'none', 'What waits for a slow reader is dropped when a knob hides it.'],
    ['stream.bounded', 'stream', 'What waits for one socket is bounded.'],
    ['stream.heartbeat', 'stream', 'A peer that answers no ping is closed after two.'],
    ['stream.sockets', 'stream', 'At most 256 sockets, 32 of one credential.'],
    ['stream.seq', 'stream', 'Every event carries seq; since brings what was missed.'],
    ['stream.reachable', 'stream', 'A unit that stops to answer, or answers again, is told by a state event.'],
    ['stream.gap', 'stream', 'What is no longer held is answered with gap true.'],
  ]),

  ...requirementsOf('docs/administration.md', [
    ['administration.preview', 'http', 'The preview of a change tells what the change then does, and changes nothing.'],
    ['administration.import-preview', 'http', 'So does the dry run of an import, for the home and every integration.'],
  ]),

  ...requirementsOf('docs/agents.md', [
    ['agents.confirmation', 'both', 'An agent’s unlocking is confirmed for that one call, within 2 minutes, once.'],
    ['agents.confirmation-restart', 'none', 'A confirmation is kept across a restart, and used once.'],
    ['agents.confirmation-bound', 'all', 'A confirmation is for one credential, device, operation and arguments.'],
    ['agents.confirmation-logged', 'all', 'The activity entry of a confirmed unlocking says who confirmed it.'],
    ['agents.agent-rules', 'both', 'An agent saves no scene, automation or schedule that opens an entrance.'],
    ['agents.pair-open', 'both', 'The pair endpoints need no credential and answer literally.'],
    ['agents.user-code', 'none', 'A user code is 8 letters without look-alikes, shown as XXXX-XXXX.'],
    ['agents.once', 'none', 'A token is handed out once, under parallel polls and across a crash.'],
    [
      'agents.source-minute',
      'none',
      'One source may have all five of a minute’s requests for access, and ten an hour.',
    ],
    ['agents.mcp-defect', 'none', 'A defect inside a tool is logged, and told with the reference of the log.'],
    [
      'agents.strangers',
      'none',
      'A stranger who uses the limits up cannot keep the administrator from connecting an agent.',
    ],
    ['agents.names', 'both', 'Names and platforms that disguise themselves are refused.'],
    [
      'agents.replace',
      'none',
      'For the same agent again an administrator replaces its old credential or adds another.',
    ],
    ['agents.told', 'none', 'Requests and confirmations are told to whoever administers as they happen.'],
    ['agents.mcp-credentials', 'none', 'The MCP server takes agent and session tokens alone, and none in the address.'],
    [
      'agents.mcp-host-and-origin',
      'none',
      'Foreign hosts and origins are turned away from the MCP server as from the rest.',
    ],
    ['agents.mcp-tools', 'none', 'At most 12 tools cover the API, with ids, output schemas and structured content.'],
    [
      'agents.mcp-pipeline',
      'none',
      'A tool call is one request of the service: exposure, knobs, activity and refusals are the same.',
    ],
    [
      'agents.mcp-times',
      'none',
      'Tools say every moment in the home’s local time with its offset, and which zone that is.',
    ],
    ['agents.mcp-refusal', 'none', 'A refused tool call is a tool error in the Error shape.'],
    [
      'agents.mcp-budget',
      'none',
      'The tool list stays under 4,000 tokens whatever the size of the house, and the house stays readable at 3,000 units.',
    ],
    ['agents.mcp-revisions', 'none', 'Clients of 2026-07-28 and of the revisions of 2025 are served.'],
    [
      'agents.mcp-input',
      'none',
      'A client that offers input is asked for the code of a confirmation; no other answer opens anything.',
    ],
    [
      'agents.mcp-suspended',
      'none',
      'With agent_access off MCP requests are refused and open MCP streams end; on again they work.',
    ],
    ['agents.mcp-conformance', 'none', 'The official conformance scenarios that fit pass.'],
  ]),

  ...requirementsOf('docs/tls.md', [
    ['tls.credential', 'http', 'GET /v1/gateway/tls needs a credential.'],
    ['tls.ca-pem', 'http', 'GET /ca.pem answers the CA without a credential.'],
    ['tls.fingerprint', 'both', 'A fingerprint is upper-case hex pairs joined by colons.'],
    ['tls.fingerprint-key', 'none', 'The CA’s fingerprint stands beside every newly made key.'],
    ['tls.leaf-life', 'none', 'The leaf lasts 397 days at most and is renewed when a third of its life is left.'],
    ['tls.renewal-live', 'none', 'New handshakes get a renewed leaf; no connection is dropped.'],
  ]),

  ...requirementsOf('docs/discovery.md', [
    ['discovery.mdns', 'none', 'The announcement has the instance, SRV, A and TXT with v, gw, path and fp.'],
    ['discovery.mdns-when', 'none', 'The gateway is announced while at least one enabled integration has mdns on.'],
    ['discovery.goodbye', 'none', 'Goodbye records are sent on stop.'],
  ]),

  ...requirementsOf('docs/limits.md', [
    [
      'limits.rate',
      'both',
      'Over the rate a credential gets 429 rate_limited with retryAfter in seconds; over HTTP with Retry-After.',
    ],
    [
      'limits.failed-authentications',
      'http',
      'Failed authentications are limited by address, and never lock out a valid token.',
    ],
    ['limits.connections', 'none', 'One address has its share of the connections.'],
    ['limits.strangers', 'none', 'Connections without a valid credential are few and short, and keep nobody out.'],
    ['limits.open-body', 'none', 'A request that needs no credential has a body of 4 KiB at most.'],
    ['limits.open-requests', 'none', 'Requests that need no credential are limited by address.'],
  ]),

  ...requirementsOf('docs/decisions/storage.md', [
    ['storage.damaged-history', 'none', 'A history that is damaged while the gateway runs is replaced by a new one.'],
    ['storage.full-disk', 'none', 'On a full disk reads, control and starts go on; changes are 503 with retryAfter.'],
    ['storage.read-only', 'none', 'A home on a disk that went read-only is served as it is.'],
    ['storage.wrong-clock', 'none', 'A wall clock that is wrong for a while costs no history.'],
  ]),
]
