/** Reads metrics as Prometheus does. */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** @param port METRICS_PORT */
export async function scrape(port: number): Promise<{ text: string; samples: readonly Sample[] }> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`a scrape answered ${response.status} ${text}`)
  return {
    text,
    samples: text
      .split('\n')
      .filter((line) => /^[^#]/.test(line))
      .map(sampleIn),
  }
}

function sampleIn(line: string): Sample {
  const [, name = '', labels = '', value] = /^([a-z]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
  if (value === undefined) throw new Error(`no sample: ${line}`)
  const pairs = [...labels.matchAll(/(\w+)="((?:\\.|[^"\\])*)"/g)].map(([, key = '', text = '']) => [key, text])
  return { name, labels: Object.fromEntries(pairs), value: Number(value) }
}

/** @returns the sum of the samples with these labels; undefined if there is none */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}
