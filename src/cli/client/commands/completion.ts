import type { Command } from 'commander'
import { write } from '../../shell/terminal.ts'
import { DEVICE_CLASSES, DEVICE_GROUPS } from '../words/state-words.ts'
import { EXIT_CODES, Failure } from '../home/failure.ts'

/** Kind of name that each command takes; the shell reads the names from the file of name-cache.ts. */
const NAMED: Readonly<Record<string, string>> = {
  on: 'device',
  off: 'device',
  toggle: 'device',
  blink: 'device',
  set: 'device',
  open: 'device',
  close: 'device',
  stop: 'device',
  why: 'device',
  doctor: 'device',
  run: 'scene',
  watch: 'room',
}

/** Kind of name that each option takes. */
const NAMED_OPTIONS: Readonly<Record<string, string>> = {
  'devices --room': 'room',
  'group --room': 'room',
  'activity --device': 'device',
}

/** A command and its option, or null for its argument, with the possible words. */
type Choice = readonly [command: string, option: string | null, words: string]

const choicesOf = (program: Command): readonly Choice[] => [
  ['completion', null, Object.keys(SCRIPTS).join(' ')],
  ['devices', '--class', [...DEVICE_CLASSES, ...DEVICE_GROUPS].join(' ')],
  ['group', null, DEVICE_GROUPS.join(' ')],
  ...program.commands.flatMap((command) =>
    command.options.flatMap(({ long, argChoices }): readonly Choice[] =>
      long && argChoices ? [[command.name(), long, argChoices.join(' ')]] : [],
    ),
  ),
]

/** Arms of a `case` over a command and the word before the cursor. */
const armsOf = (program: Command, does: (variable: string, value: string) => string): readonly string[] => [
  ...Object.entries(NAMED_OPTIONS).map(([option, kind]) => `'${option}') ${does('kind', kind)} ;;`),
  ...choicesOf(program).flatMap(([command, option, words]) =>
    option === null ? [] : [`'${command} ${option}') ${does('below', words)} ;;`],
  ),
]

const FILE = `"\${XDG_CACHE_HOME:-$HOME/.cache}/hm/names"`

const kindsOf = (kind: string): string =>
  Object.keys(NAMED)
    .filter((name) => NAMED[name] === kind)
    .join('|')

/** `hm completion bash`: the script of a shell, generated once; completing starts no process. */
export function completion(shell: string, program: Command): void {
  const words = program.commands.map((command) => command.name()).toSorted()
  const script = SCRIPTS[shell]?.(words, program)
  if (script === undefined)
    throw new Failure(`The shell "${shell}" is not supported: use bash, zsh or fish.`, EXIT_CODES.typed, {
      code: 'no_shell',
    })
  write(script)
}

/** Words that may follow a command: its subcommands, or the values of its argument. */
const subcommands = (program: Command): readonly (readonly [string, string])[] => [
  ...program.commands.flatMap((command) => {
    const below = command.commands.map((one) => one.name())
    return below.length === 0 ? [] : [[command.name(), below.join(' ')] as const]
  }),
  ...choicesOf(program).flatMap(([command, option, words]) => (option === null ? [[command, words] as const] : [])),
]

const SCRIPTS: Readonly<Record<string, (words: readonly string[], program: Command) => string>> = {
  bash: (words, program) => `# hm for bash: save it as ~/.local/share/bash-completion/completions/hm
_hm() {
  local word=\${COMP_WORDS[COMP_CWORD]} IFS=$'\\n'
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(IFS=' '; compgen -W '${words.join(' ')}' -- "$word"))
    return
  fi
  local kind= below= at=$COMP_CWORD
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
    ${armsOf(program, (variable, value) => `${variable}='${value}'`).join('\n    ')}
  esac
  [ -n "$kind$below" ] || at=2
  [ -n "$kind$below" ] || case \${COMP_WORDS[1]} in
    ${['device', 'scene', 'room'].map((kind) => `${kindsOf(kind)}) kind=${kind} ;;`).join('\n    ')}
    ${subcommands(program)
      .map(([name, below]) => `${name}) below='${below}' ;;`)
      .join('\n    ')}
  esac
  if [ -n "$below" ] && [ "$COMP_CWORD" -eq "$at" ]; then
    COMPREPLY=($(IFS=' '; compgen -W "$below" -- "$word"))
  elif [ -n "$kind" ] && [ "$COMP_CWORD" -eq "$at" ]; then
    local typed=\${word//\\\\/} of name matching=
    typed=\${typed#[\\"\\']}
    # Older shells, as on Macs, have no other case-insensitive comparison.
    shopt -q nocasematch && matching=1 || shopt -s nocasematch
    while IFS=$'\\t' read -r of name; do
      if [ "$of" = "$kind" ] && [[ $name == "$typed"* ]]; then
        case $word in
          [\\"\\']*) [[ $name == *[\\"\\'\\$\\\`\\\\!]* ]] || COMPREPLY+=("$name") ;;
          *) COMPREPLY+=("$(printf %q "$name")") ;;
        esac
      fi
    done 2>/dev/null < ${FILE}
    [ -n "$matching" ] || shopt -u nocasematch
  fi
}
complete -F _hm hm bin/hm ./bin/hm`,

  zsh: (words, program) => `#compdef hm
# hm for zsh: save it as _hm in a folder of $fpath
_hm() {
  local -a found
  local kind= of name
  if (( CURRENT == 2 )); then
    found=(${words.join(' ')})
    compadd -a found
    return
  fi
  case "$words[2] $words[CURRENT-1]" in
    ${armsOf(program, (variable, value) => (variable === 'kind' ? `kind=${value}` : `found=(${value})`)).join('\n    ')}
  esac
  [[ -n $kind || -n $found ]] || (( CURRENT == 3 )) || return
  [[ -n $kind || -n $found ]] || case $words[2] in
    ${['device', 'scene', 'room'].map((kind) => `${kindsOf(kind)}) kind=${kind} ;;`).join('\n    ')}
    ${subcommands(program)
      .map(([name, below]) => `${name}) found=(${below}) ;;`)
      .join('\n    ')}
  esac
  if [[ -n $kind ]]; then
    while IFS=$'\\t' read -r of name; do
      [[ $of == $kind ]] && found+=("$name")
    done 2>/dev/null < ${FILE}
  fi
  compadd -M 'm:{a-zA-Z}={A-Za-z}' -a found
}
_hm "$@"`,

  fish: (words, program) => `# hm for fish: save it as ~/.config/fish/completions/hm.fish
function __hm_names
  set -l cache $XDG_CACHE_HOME
  test -n "$cache"; or set cache $HOME/.cache
  test -r $cache/hm/names; and string match --regex --groups-only "^$argv[1]\\t(.*)" < $cache/hm/names
end
complete -c hm -f
complete -c hm -n __fish_use_subcommand -a '${words.join(' ')}'
${['device', 'scene', 'room']
  .map(
    (kind) =>
      `complete -c hm -n '__fish_seen_subcommand_from ${kindsOf(kind).replaceAll('|', ' ')}' -a '(__hm_names ${kind})'`,
  )
  .join('\n')}
${subcommands(program)
  .map(([name, below]) => `complete -c hm -n '__fish_seen_subcommand_from ${name}' -a '${below}'`)
  .join('\n')}
${[
  ...Object.entries(NAMED_OPTIONS).map(([option, kind]) => [...option.split(' --'), `(__hm_names ${kind})`]),
  ...choicesOf(program).flatMap(([name, option, words]) => (option === null ? [] : [[name, option.slice(2), words]])),
]
  .map(
    ([name, option, words]) => `complete -c hm -n '__fish_seen_subcommand_from ${name}' -l ${option} -x -a '${words}'`,
  )
  .join('\n')}`,
}
