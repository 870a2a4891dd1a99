/** Texts of the page of floors and rooms. */
export const words = {
  change: 'Change rooms',
  changeBy:
    'Rooms are changed on the gateway for now: write the house to a file, edit it, see what would change, and take it in.',
  changeEnd:
    'Ids stay as they are, so automations, scenes and programs go on working. Programs may rename rooms that they see, where their integration allows it.',
  commands: [
    'bin/hm house export house.yaml',
    'bin/hm house import house.yaml --dry-run',
    'bin/hm house import house.yaml',
  ],
  empty: 'There are no rooms yet.',
  move: 'One device is moved, or taken in once it was found, without a file:',
  moveCommand: 'bin/hm house place hall-light --room kitchen',
  nothing: 'nothing yet',
  withoutFloor: 'Without a floor',
  withoutRoom: 'Without a room',
} as const
