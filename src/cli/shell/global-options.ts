import type { Command } from 'commander'

export const JSON_HELP = 'print the whole answer as JSON'

/** Options of the program that may stand behind any of these commands too, where people write them. */
export function everywhere(
  program: Command,
  commands: readonly Command[],
  options: readonly (readonly [flags: string, help: string])[],
): void {
  for (const command of commands) {
    if (command.commands.length > 0) {
      everywhere(program, command.commands, options)
      continue
    }
    for (const [flags, help] of options) command.option(flags, help)
    const names = command.options.slice(-options.length).map((option) => option.attributeName())
    command.hook('preAction', (_top, action) => {
      for (const name of names) {
        const value: unknown = action.opts()[name]
        if (value !== undefined) program.setOptionValue(name, value)
      }
    })
  }
}
