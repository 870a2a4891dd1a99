/** True if the requirements are tested through a relay: `npm run test:relay`. */
export const THROUGH_RELAY = process.env['HM_TEST_RELAY'] === '1'
