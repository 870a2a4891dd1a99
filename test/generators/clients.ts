import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GeneratedClient, PROGRAMS } from './generated-client.ts'
import { java, kotlin } from './openapi-generator.ts'
import { run } from './run.ts'

const VERSIONS = {
  openapiTypescript: '7.13.0',
  openapiFetch: '0.17.0',
  typescript: '5.9.3',
  nodeTypes: '24.10.0',
  openapiPythonClient: '0.29.1',
  oapiCodegen: 'v2.8.2',
  oapiRuntime: 'v1.8.0',
} as const

/** The strictest settings of the compiler, which reject types that the document leaves open. */
const TSC = [
  ...['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--skipLibCheck', '--module', 'nodenext'],
  ...['--target', 'es2024', '--allowImportingTsExtensions', '--types', 'node'],
]

const typescript: GeneratedClient = {
  language: 'typescript',
  generator: 'openapi-typescript',
  programs: ['npm'],
  async fetch(folder) {
    if (existsSync(join(folder, 'node_modules/openapi-typescript'))) return
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    await run(folder, 'npm', [
      ...['install', '--silent', '--no-audit', '--no-fund'],
      `openapi-typescript@${VERSIONS.openapiTypescript}`,
      `openapi-fetch@${VERSIONS.openapiFetch}`,
      `typescript@${VERSIONS.typescript}`,
      `@types/node@${VERSIONS.nodeTypes}`,
    ])
  },
  async generate(folder, openapi) {
    copyFileSync(join(PROGRAMS, 'typescript/client.mts'), join(folder, 'client.mts'))
    await run(folder, process.execPath, ['node_modules/openapi-typescript/bin/cli.js', openapi, '-o', 'hm.ts'])
  },
  compile: (folder) => run(folder, process.execPath, ['node_modules/typescript/bin/tsc', ...TSC, 'client.mts']),
  try: (folder, env) =>
    run(folder, process.execPath, ['client.mts'], { ...env, NODE_EXTRA_CA_CERTS: String(env['HM_CA']) }),
}

const python: GeneratedClient = {
  language: 'python',
  generator: 'openapi-python-client',
  programs: ['python3'],
  async fetch(folder) {
    if (existsSync(join(folder, 'venv/bin/openapi-python-client'))) return
    await run(folder, 'python3', ['-m', 'venv', 'venv'])
    await run(folder, 'venv/bin/pip', [
      ...['install', '--quiet', `openapi-python-client==${VERSIONS.openapiPythonClient}`],
    ])
  },
  async generate(folder, openapi) {
    copyFileSync(join(PROGRAMS, 'python/client.py'), join(folder, 'client.py'))
    await run(folder, 'venv/bin/openapi-python-client', [
      ...['generate', '--path', openapi, '--meta', 'none', '--output-path', 'hm', '--overwrite'],
    ])
  },
  try: (folder, env) => run(folder, 'venv/bin/python', ['client.py'], env),
}

const go: GeneratedClient = {
  language: 'go',
  generator: 'oapi-codegen',
  programs: ['go'],
  async fetch(folder) {
    if (existsSync(join(folder, 'bin/oapi-codegen'))) return
    const generator = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${VERSIONS.oapiCodegen}`
    await run(folder, 'go', ['install', generator], { ...process.env, GOBIN: join(folder, 'bin') })
  },
  async generate(folder, openapi) {
    mkdirSync(join(folder, 'hm'), { recursive: true })
    copyFileSync(join(PROGRAMS, 'go/main.go'), join(folder, 'main.go'))
    const runtime = `github.com/oapi-codegen/runtime ${VERSIONS.oapiRuntime}`
    writeFileSync(join(folder, 'go.mod'), `module generated\n\ngo 1.24\n\nrequire ${runtime}\n`)
    await run(folder, 'bin/oapi-codegen', ['-generate', 'types,client', '-package', 'hm', '-o', 'hm/hm.go', openapi])
  },
  resolve: (folder) => run(folder, 'go', ['mod', 'tidy']),
  compile: (folder) => run(folder, 'go', ['build', '-o', 'client', '.']),
  try: (folder, env) => run(folder, './client', [], env),
}

export const GENERATED_CLIENTS: readonly GeneratedClient[] = [typescript, python, go, java, kotlin]
