// That a browser takes this says that it has verified the gateway's certificate (docs/console.md#trust). It does nothing
// else: no request passes through it.
globalThis.addEventListener('install', () => {})
