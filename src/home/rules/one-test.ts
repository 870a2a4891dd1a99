/** Rules for the fields of tests in triggers and conditions. */

/** Triggers and conditions hold one test of a value: `is`, or one or both of `above` and `below`. */
export const ONE_TEST = 'needs either `is`, or `above` and/or `below`'
/** `ONE_TEST` in the documents. Client generators ignore `if`, so a trigger stays one plain object. */
export const ONE_TEST_SCHEMA = {
  if: {
    anyOf: [
      { not: { anyOf: [having('is'), having('above'), having('below')] } },
      having('is', 'above'),
      having('is', 'below'),
    ],
  },
  then: { not: {} },
}
export const hasOneTest = (t: { is?: unknown; above?: number | undefined; below?: number | undefined }): boolean =>
  (t.is === undefined) !== (t.above === undefined && t.below === undefined)

export const ONE_SPAN = 'needs `for` or `within`, not both'
export const hasOneSpan = (test: { for?: number | undefined; within?: number | undefined }): boolean =>
  test.for === undefined || test.within === undefined

/** Schema of an object with these fields. Generators cannot read `true` in place of an empty schema. */
function having(...fields: readonly string[]): object {
  return { type: 'object', properties: Object.fromEntries(fields.map((field) => [field, {}])), required: fields }
}

/** Fields that say which value a test is about. */
const SUBJECTS = ['state', 'reading', 'detection', 'reachable'] as const
type Subject = (typeof SUBJECTS)[number]
const DETAILS = ['is', 'above', 'below', 'for', 'within', 'by'] as const
type Detail = (typeof DETAILS)[number]

/** The details that a test about each subject takes. */
type Details = Readonly<Record<Subject, readonly Detail[]>>
export const TRIGGER_DETAILS: Details = {
  state: ['is', 'above', 'below', 'for', 'by'],
  reading: ['is', 'above', 'below', 'for'],
  detection: ['is'],
  reachable: ['for'],
}
export const CONDITION_DETAILS: Details = {
  state: DETAILS,
  reading: ['is', 'above', 'below', 'for', 'within'],
  detection: ['within'],
  reachable: ['for', 'within'],
}

/** A test about one subject, in the documents. */
export const ONE_SUBJECT_SCHEMA = {
  if: { not: { oneOf: SUBJECTS.map((subject) => having(subject)) } },
  then: { not: {} },
}

interface Fields extends Partial<Readonly<Record<Subject | Detail, unknown>>> {
  readonly above?: number | undefined
  readonly below?: number | undefined
  readonly for?: number | undefined
  readonly within?: number | undefined
}

interface FieldProblem {
  readonly path: string[]
  readonly message: string
  readonly params?: { readonly needs: readonly string[] }
}

/** The problem of a test whose shape allows the fields of all subjects, or null. */
export function subjectProblem(test: Fields, details: Details): FieldProblem | null {
  const [subject, second] = SUBJECTS.filter((one) => test[one] !== undefined)
  if (subject === undefined)
    return { path: [], message: `needs one of ${SUBJECTS.join(', ')}`, params: { needs: SUBJECTS } }
  if (second !== undefined) return { path: [second], message: `does not go with \`${subject}\`` }
  const extra = DETAILS.find((detail) => test[detail] !== undefined && !details[subject].includes(detail))
  if (extra !== undefined) return { path: [extra], message: `does not go with \`${subject}\`` }
  if (subject === 'detection') return detectionProblem(test, details)
  if (subject !== 'reachable' && !hasOneTest(test)) return { path: [], message: ONE_TEST }
  return hasOneSpan(test) ? null : { path: [], message: ONE_SPAN }
}

function detectionProblem({ is, within }: Fields, { detection }: Details): FieldProblem | null {
  if (detection.includes('within') && within === undefined) return { path: ['within'], message: 'is missing' }
  return is === undefined || typeof is === 'boolean' ? null : { path: ['is'], message: 'must be true or false' }
}
