/** Somebody who administers the home by name: in the activity, changes of theirs are theirs. */
export interface Person {
  readonly id: string
  /** Unlike any other's, in whatever case. */
  readonly name: string
  /** Argon2id with its salt and costs (`password.ts`); null: there is none. */
  readonly password: string | null
  /** Epoch ms. */
  readonly createdAt: number
}

/** Persons of one home. */
export const PERSONS_MAX = 50
/** Also of the ids of sessions: they are remembered as ended as those of credentials are (Spec 5 point 2). */
export const PERSON_ID_LENGTH = 10

/** Under it the set-up code of the label is remembered as ended, from the first administrator on. */
export const SETUP_CODE_ID = 'setup0code'

/** Reads are as fresh as the last commit; writes run inside `UnitOfWork.change`. */
export interface PersonStore {
  get(id: string): Person | undefined
  list(): readonly Person[]
  insert(person: Person): void
  setPassword(id: string, password: string): void
  /** Removes a person with all sessions of theirs. */
  remove(id: string): void
  /** They count as gone from now on although they are stored; outside of a change. */
  hold(ids: readonly string[]): void
}
