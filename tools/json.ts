/** Formats JSON for people: an object or array is on one line if it fits. */
const width = 120

/** @param column where the value begins on its line */
export function printJson(value: unknown, indent = '', column = 0): string {
  const inner = `${indent}  `
  const text = onOneLine(value)
  if (typeof value !== 'object' || value === null || column + text.length < width) return text
  if (Array.isArray(value)) {
    return `[\n${value.map((each) => inner + printJson(each, inner, inner.length)).join(',\n')}\n${indent}]`
  }
  const lines = fieldsOf(value).map(([name, each]) => {
    const begin = `${inner}${JSON.stringify(name)}: `
    return begin + printJson(each, inner, begin.length)
  })
  return `{\n${lines.join(',\n')}\n${indent}}`
}

function onOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  const fields = fieldsOf(value).map(([name, each]) => `${JSON.stringify(name)}: ${onOneLine(each)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

function fieldsOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, each]) => each !== undefined)
}
