/** One instruction of a Dockerfile: `COPY --from=dependencies a b` has the flag `from` and the rest `a b`. */
export interface Instruction {
  readonly word: string
  readonly flags: Readonly<Record<string, string>>
  readonly rest: string
}

export interface Stage {
  readonly name: string
  /** Base image with replaced arguments. */
  readonly base: string
  readonly steps: readonly Instruction[]
}

/** Lines without comments, and with joined continuation lines. */
function logicalLines(text: string): string[] {
  const lines = text.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line))
  return lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
}

function instructionOf(line: string): Instruction {
  const [, word = '', written = '', rest = ''] = /^(\w+)\s+((?:--\S+\s+)*)(.*)$/.exec(line) ?? []
  const flags = [...written.matchAll(/--([\w-]+)(?:=(\S+))?/g)].map(([, name = '', value = '']) => [name, value])
  return { word, flags: Object.fromEntries(flags) as Record<string, string>, rest: rest.trim() }
}

/** The stages of a Dockerfile in their order. Supports no heredocs and no ONBUILD. */
export function readDockerfile(text: string): readonly Stage[] {
  const args: Record<string, string> = {}
  const stages: { name: string; base: string; steps: Instruction[] }[] = []
  for (const step of logicalLines(text).map(instructionOf)) {
    const stage = stages.at(-1)
    if (step.word === 'FROM') {
      const [base = '', , name = ''] = step.rest.split(/\s+/)
      stages.push({ base: base.replaceAll(/\$\{(\w+)\}/g, (_, key: string) => args[key] ?? ''), name, steps: [] })
    } else if (stage !== undefined) stage.steps.push(step)
    else if (step.word === 'ARG') {
      const [key = '', value = ''] = step.rest.split('=', 2)
      args[key] = value
    } else throw new Error(`${step.word} is before the first FROM.`)
  }
  return stages
}

/** The command of an instruction in JSON form, or a shell with its text. */
export function commandOf(rest: string): readonly string[] {
  return rest.startsWith('[') ? (JSON.parse(rest) as string[]) : ['/bin/sh', '-c', rest]
}

/** Pairs of ENV and LABEL: `A=1 B="two words"`. */
export function pairsOf(rest: string): Readonly<Record<string, string>> {
  const pairs = [...rest.matchAll(/(\S+?)=(?:"([^"]*)"|(\S*))/g)]
  return Object.fromEntries(pairs.map(([, key = '', quoted, bare = '']) => [key, quoted ?? bare]))
}

/** Returns a function for .dockerignore: true if a path is part of the build. The last matching pattern decides. */
export function buildContext(ignore: string): (path: string) => boolean {
  const patterns = logicalLines(ignore).map((line) => ({ keeps: line.startsWith('!'), matches: matching(line) }))
  return (path) => patterns.findLast(({ matches }) => matches.test(path))?.keeps ?? true
}

/** A pattern matches a path and everything below it. */
function matching(line: string): RegExp {
  const source = line
    .replace(/^!/, '')
    .replaceAll('.', '\\.')
    .replaceAll(/\*\*\/|\*/g, (star) => (star === '*' ? '[^/]*' : '(?:.*/)?'))
  return new RegExp(`^${source}(?:/.*)?$`)
}
