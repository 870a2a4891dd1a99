import { OPERATIONS } from '../../home/model/device.ts'
import type { Operation } from '../../home/model/device.ts'
import type { Command } from '../../home/model/state.ts'
import { flag, numbered, percent, choice, struct } from './codec.ts'
import type { Codec } from './codec.ts'
import { acMode, fan, remoteKey, settableMode, wantedSetPoint } from './state-codec.ts'

type ArgsOf<O extends Operation> = NonNullable<Extract<Command, { readonly op: O }>['args']>
type Argued = Exclude<Operation, 'open' | 'close' | 'stop'>

/** Arguments of the operations that have some; the others are their number alone. */
const ARGS: { readonly [O in Argued]: Codec<ArgsOf<O>> } = {
  set_power: struct({ on: flag }),
  set_brightness: struct({ bri: percent }),
  set_position: struct({ pos: percent }),
  set_mode: struct({ mode: settableMode }),
  set_temp: struct({ temp: wantedSetPoint }),
  set_ac_mode: struct({ mode: acMode }),
  set_fan: struct({ fan }),
  key: struct({ key: remoteKey }),
}

const operation: Codec<Operation> = choice(numbered(OPERATIONS, 1))
const isArgued = (op: Operation): op is Argued => Object.hasOwn(ARGS, op)

/** One operation with its argument (docs/hmhc.md 2.2). */
export const command: Codec<Command> = {
  write: (writer, value) => {
    operation.write(writer, value.op)
    // The operation picks the codec of its own arguments; the union over operations hides it.
    if (isArgued(value.op)) (ARGS[value.op] as Codec<unknown>).write(writer, value.args)
  },
  read: (reader) => {
    const op = operation.read(reader)
    // As above: operation and arguments belong together.
    return (isArgued(op) ? { op, args: ARGS[op].read(reader) } : { op }) as Command
  },
}
