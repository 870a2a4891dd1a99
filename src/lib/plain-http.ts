// Node's `http`. Every program imports it from here: `import` of `node:http` loads the whole module with its WebSocket
// and Node's fetch, 9 MiB that the gateway and the relay never use.

export const { createServer, request, ServerResponse } = process.getBuiltinModule('node:http')
