// Loaded before a program (`--import`). At exit it writes the list of loaded modules into the file of HM_LOADED, as `{
// files: [path or address, …], builtin: [name, …], schemas: number of schemas that zod made }`.

import { writeFileSync } from 'node:fs'
import module from 'node:module'

const files = new Set()
let schemas = 0
globalThis.countSchema = () => {
  schemas += 1
}
module.registerHooks({
  load(url, context, next) {
    files.add(url)
    const loaded = next(url, context)
    if (!url.endsWith('/zod/v4/core/core.js')) return loaded
    return {
      ...loaded,
      source: Buffer.from(loaded.source).toString().replace('this.traits =', 'globalThis.countSchema(); $&'),
    }
  },
})
process.on('exit', () => {
  for (const path of Object.keys(module._cache)) files.add(path)
  writeFileSync(process.env.HM_LOADED, JSON.stringify({ files: [...files], builtin: process.moduleLoadList, schemas }))
})
