import { canonicalJson } from '../../lib/canonical-json.ts'
import type { Scene } from '../model/house.ts'
import { freshRevision, type GivenRevisions } from '../model/revision.ts'
import { withEdit } from '../model/scene-edits.ts'

/**
 * Scenes of a file as the home has them afterwards. Scenes with the same content keep their revision. The others get
 * one that their id never had, so that an edit from a revision of before the import gets 409.
 */
export function importedScenes(
  scenes: readonly Scene[],
  known: ReadonlyMap<string, Scene>,
  given: Pick<GivenRevisions, 'highest'>,
): readonly Scene[] {
  return scenes.map((scene) => {
    const before = known.get(scene.id)
    if (!before) return { ...scene, revision: freshRevision(given, scene.revision) }
    const { revision, edits } = before
    const kept = { ...scene, revision, edits }
    return isSame(before, kept) ? kept : { ...scene, revision: revision + 1, edits: withEdit(edits, null) }
  })
}

function isSame(before: Scene, after: Scene): boolean {
  return canonicalJson({ ...before, position: 0 }) === canonicalJson({ ...after, position: 0 })
}
