import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type GeneratedClient, PROGRAMS } from './generated-client.ts'
import { run } from './run.ts'

const VERSIONS = { openapiGenerator: '7.25.0', dependencyPlugin: '3.6.1' } as const

const JAR = `openapi-generator-cli-${VERSIONS.openapiGenerator}.jar`
const DEPENDENCIES = `org.apache.maven.plugins:maven-dependency-plugin:${VERSIONS.dependencyPlugin}`

interface JvmClient {
  readonly language: 'java' | 'kotlin'
  readonly programs: readonly string[]
  /** Properties of the generator for the language, as `name=value`. */
  readonly properties: readonly string[]
  /** Schemas that a library's type replaces, as `schema=type`. */
  readonly types?: readonly string[]
  /** Files to copy, from and to: the program, and a Maven project if the generator makes none. */
  readonly files: readonly (readonly [from: string, to: string])[]
  readonly mainClass: string
}

/** openapi-generator has one program for all languages. Maven compiles its output. */
function jvmClient({ language, programs, properties, types = [], files, mainClass }: JvmClient): GeneratedClient {
  return {
    language,
    generator: 'openapi-generator',
    programs,
    async fetch(folder) {
      const shared = join(folder, '..')
      if (existsSync(join(shared, JAR))) return
      const artifact = `org.openapitools:openapi-generator-cli:${VERSIONS.openapiGenerator}`
      await maven(shared, [`${DEPENDENCIES}:copy`, `-Dartifact=${artifact}`, `-DoutputDirectory=${shared}`])
    },
    async generate(folder, openapi) {
      const client = join(folder, 'client')
      rmSync(client, { recursive: true, force: true })
      await run(folder, 'java', [
        ...['-jar', join('..', JAR), 'generate', '-i', openapi, '-g', language, '-o', 'client'],
        ...['--additional-properties', properties.join(',')],
        ...types.flatMap((mapping) => ['--schema-mappings', mapping]),
      ])
      for (const [from, to] of files) cpSync(join(PROGRAMS, language, from), join(client, to))
    },
    async resolve(folder) {
      const client = join(folder, 'client')
      await maven(client, [`${DEPENDENCIES}:build-classpath`, '-Dmdep.outputFile=classpath.txt'])
    },
    compile: (folder) => maven(join(folder, 'client'), ['compile']),
    try: (folder, env) =>
      run(join(folder, 'client'), 'sh', ['-c', `java -cp "target/classes:$(cat classpath.txt)" ${mainClass}`], env),
  }
}

const maven = (folder: string, args: readonly string[]): Promise<string> =>
  run(folder, 'mvn', ['--quiet', '--batch-mode', ...args])

export const java = jvmClient({
  language: 'java',
  programs: ['java', 'javac', 'mvn'],
  properties: [
    // An unset list is left out instead of sent empty.
    'containerDefaultToNull=true',
    // Named parameters, so that a new one does not shift the others.
    'useSingleRequestParameter=true',
  ],
  files: [['Client.java', 'src/main/java/Client.java']],
  mainClass: 'Client',
})

export const kotlin = jvmClient({
  language: 'kotlin',
  programs: ['java', 'mvn'],
  // With this library and serializer the generated code uses the first matching shape of a union.
  properties: [
    'library=jvm-retrofit2',
    'serializationLibrary=kotlinx_serialization',
    'generateOneOfAnyOfWrappers=true',
  ],
  // The generator loses numbers in a union of plain values.
  types: ['TestValue=kotlinx.serialization.json.JsonPrimitive'],
  files: [
    ['pom.xml', 'pom.xml'],
    ['Client.kt', 'src/main/kotlin/Client.kt'],
  ],
  mainClass: 'ClientKt',
})
