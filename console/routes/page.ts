/** Pages by their code, which is loaded when a page is first opened. */
import { lazyRouteComponent, notFound } from '@tanstack/react-router'
import { reached } from '../api/reached.ts'
import { isRefusal } from '../api/refusal.ts'

/** @param load imports the module of a page @param name of the component in it */
export function page<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(reached(load), name)
}

export function asNotFound(error: unknown): never {
  if (isRefusal(error, 'not_found', 'invalid_id')) throw notFound()
  throw error
}
