/** Texts of the rooms page. */
export const words = {
  change: 'Change rooms',
  changeBy:
    'You change rooms on the gateway’s terminal: export the house, edit the file, check it, and import it again.',
  changeEnd:
    'Ids stay the same, so automations, scenes and programs keep working. Programs can rename rooms if their integration allows it.',
  commands: [
    'bin/hm house export house.yaml',
    'bin/hm house import house.yaml --dry-run',
    'bin/hm house import house.yaml',
  ],
  empty: 'There are no rooms yet.',
  move: 'Move one device, or place a new one, without a file:',
  moveCommand: 'bin/hm house place hall-light --room kitchen',
  nothing: 'no devices yet',
  withoutFloor: 'Without a floor',
  withoutRoom: 'Without a room',
} as const
