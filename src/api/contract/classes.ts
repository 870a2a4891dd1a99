import { type DeviceClass, GANG_CLASSES, UNIT_CLASSES } from '../../home/model/device.ts'

/** Every class that has a state: all but the module, whose state is in its gangs. */
export const DEVICE_CLASSES_WITH_STATE = [
  ...UNIT_CLASSES.filter((each) => each !== 'gang_module'),
  ...GANG_CLASSES,
] as unknown as readonly [DeviceClass, ...DeviceClass[]]
