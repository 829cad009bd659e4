/** Imports one of the packages of this folder. */
export function load(name: string): Promise<unknown> {
  return import(name)
}
