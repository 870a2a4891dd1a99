import type { JSX } from 'preact'
import { useResource } from '../stores/use-resource.ts'
import { Loading } from './action.tsx'

type Component<Props> = (props: Props) => JSX.Element

/** Makes a part of a page that is loaded when it first appears, because it is as large as a page. */
export const onDemand = <Props extends object>(load: () => Promise<Component<Props>>): Component<Props> =>
  function Part(props) {
    const { value, error, reload } = useResource(async () => ({ Loaded: await load() }))
    return value === null ? <Loading error={error} reload={reload} /> : <value.Loaded {...props} />
  }
