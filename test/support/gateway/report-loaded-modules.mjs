// Loaded before a program (`--import`). At exit it writes the list of loaded modules into the file of HM_LOADED, as `{
// files: [path or address, …], builtin: [name, …] }`.

import { writeFileSync } from 'node:fs'
import module from 'node:module'

const files = new Set()
module.registerHooks({
  load(url, context, next) {
    files.add(url)
    return next(url, context)
  },
})
process.on('exit', () => {
  for (const path of Object.keys(module._cache)) files.add(path)
  writeFileSync(process.env.HM_LOADED, JSON.stringify({ files: [...files], builtin: process.moduleLoadList }))
})
