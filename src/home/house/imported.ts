import { canonicalJson } from '../../lib/canonical-json.ts'
import { freshRevision, type Group, type RevisionMarks, type Scene, withEdit } from '../model/house.ts'

/**
 * Scenes after an import. A scene with the same content keeps its revision. A changed scene gets a new revision that
 * its id never had, so that an edit based on an older revision gets 409.
 */
export function importedScenes(
  scenes: readonly Scene[],
  known: ReadonlyMap<string, Scene>,
  revisions: Pick<RevisionMarks, 'lastOf'>,
): readonly Scene[] {
  return scenes.map((scene) => {
    const before = known.get(scene.id)
    if (!before) return { ...scene, revision: freshRevision(revisions.lastOf('scene', scene.id), scene.revision) }
    const { revision, edits } = before
    const unchanged = { ...scene, revision, edits }
    return isSame({ ...before, position: 0 }, { ...unchanged, position: 0 })
      ? unchanged
      : { ...scene, revision: revision + 1, edits: withEdit(edits, null) }
  })
}

/** Groups after an import, with revisions as those of scenes. */
export function importedGroups(
  groups: readonly Group[],
  known: ReadonlyMap<string, Group>,
  revisions: Pick<RevisionMarks, 'lastOf'>,
): readonly Group[] {
  return groups.map((group) => {
    const before = known.get(group.id)
    if (!before) return { ...group, revision: freshRevision(revisions.lastOf('group', group.id), group.revision) }
    const { revision, edits } = before
    const { name, members, origin } = group
    const author = isSame(members, before.members) ? before.author : group.author
    return isSame({ name, members, origin }, { name: before.name, members: before.members, origin: before.origin })
      ? { ...group, author, revision, edits }
      : { ...group, author, revision: revision + 1, edits: withEdit(edits, null) }
  })
}

export function isSame(now: object, before: object | undefined): boolean {
  return canonicalJson(now) === canonicalJson(before)
}
