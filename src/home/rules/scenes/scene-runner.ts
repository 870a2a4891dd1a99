import { fail, ok } from '../../../lib/result.ts'
import type { RunFailure, SceneRunner } from '../../ports/scene-runner.ts'
import type { UnitBus } from '../../ports/unit-bus.ts'
import type { Rules } from '../rules.ts'

/** Runs scenes for clients. A scene is refused at once while the adapter is known to carry no frames. */
export function sceneRunnerOf(
  rules: Pick<Rules, 'runScene' | 'isSceneRunning'>,
  bus: Pick<UnitBus, 'down' | 'retryMs'>,
): SceneRunner {
  const obstacle = (): RunFailure | null =>
    bus.down === null ? null : { kind: 'unavailable', ...(bus.retryMs !== null && { retryMs: bus.retryMs }) }
  return {
    obstacle,
    run: (scene, cause, priority) => {
      const failure = obstacle()
      if (failure !== null) return fail(failure)
      const run = rules.runScene(scene, cause, priority)
      return run ? ok({ runId: run.runId }) : fail({ kind: 'not_there' })
    },
    running: (scene) => rules.isSceneRunning(scene),
  }
}
