/** Whether the requirements are tested from outside the home: `npm run test:relay`. */
export const THROUGH_RELAY = process.env['HM_TEST_RELAY'] === '1'
