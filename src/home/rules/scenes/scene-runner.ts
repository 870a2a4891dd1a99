import { fail, ok } from '../../../lib/result.ts'
import type { SceneRunner } from '../../ports/scene-runner.ts'
import type { UnitBus } from '../../ports/unit-bus.ts'
import type { Rules } from '../rules.ts'

/** Runs scenes for clients. A scene is refused at once while the adapter is known to carry no frames. */
export function sceneRunnerOf(
  rules: Pick<Rules, 'runScene' | 'isSceneRunning'>,
  bus: Pick<UnitBus, 'down' | 'retryMs'>,
): SceneRunner {
  return {
    run: (scene, cause, priority) => {
      if (bus.down !== null) return fail({ kind: 'unavailable', ...(bus.retryMs !== null && { retryMs: bus.retryMs }) })
      const run = rules.runScene(scene, cause, priority)
      return run ? ok({ runId: run.runId }) : fail({ kind: 'not_there' })
    },
    running: (scene) => rules.isSceneRunning(scene),
  }
}
