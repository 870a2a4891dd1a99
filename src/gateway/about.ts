/** `GET /v1/about` (docs/api.md#why): static, without information about the home. */
export const ABOUT = `Home Control Service API 1.1.0

Connect
  HTTPS on port 8490, TLS 1.3 only. The gateway signs its own certificate: fetch its CA from /ca.pem, compare the SHA-256
  fingerprint with the one that came with your key, and trust that CA and nothing else. Never switch verification off.

Authenticate
  Send "Authorization: Bearer <token>" with every request. An administrator makes a key for your integration in the app, or
  with: bin/hm key create --integration ID

Begin
  GET /v1/integration   what this credential may see and do
  GET /v1/house         the home; call it first and keep the ids
  POST /v1/devices/{id}/control   {"op": "set_power", "args": {"on": true}}

Follow
  WebSocket /v1/stream: send {"id": "1", "subscribe": ["*"]} and receive every change; the same requests work there too.
  Polling works with GET /v1/state and If-None-Match.

Refusals
  {"error": {"code", "message", "appAction"?, "retryAfter"?, "at"?}}. What your integration does not show answers 404 not_found.

Documents
  /openapi.json (OpenAPI 3.1), /asyncapi.json (AsyncAPI 3.0)
`
