// Node's `http`. Every program takes it from here: an `import` of `node:http` itself reads all that the module offers,
// and with its WebSocket comes Node's whole fetch, 9 MiB that the gateway and the relay never use.

export const { createServer, request, ServerResponse } = process.getBuiltinModule('node:http')
