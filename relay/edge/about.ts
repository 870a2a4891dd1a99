/** `GET /v1/about`: a static text, the same for all homes. */
export const ABOUT = `Home Control Service API 1.1.0, through a relay

Connect
  HTTPS, TLS 1.3 only. The relay sends each request to the gateway of its token. The same requests work on the gateway
  itself in the home network.

Authenticate
  Send "Authorization: Bearer <token>" with every request. An administrator makes a key for your integration in the app;
  agents ask for access with POST /v1/pair, or sign in by OAuth at /mcp.

Begin
  GET /v1/integration   what this credential may see and do
  GET /v1/house         the home; call it first and keep the ids
  POST /v1/devices/{id}/control   {"op": "set_power", "args": {"on": true}}

Follow
  WebSocket /v1/stream: send {"id": "1", "subscribe": ["*"]} and receive every change; the same requests work there too.
  Polling works with GET /v1/state and If-None-Match.

Refusals
  {"error": {"code", "message", "appAction"?, "retryAfter"?}}. gateway_offline: the home is not connected right now.

Documents
  /openapi.json (OpenAPI 3.1), /asyncapi.json (AsyncAPI 3.0)
`
