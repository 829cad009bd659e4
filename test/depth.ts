/**
 * Depth: how often a test tries what hangs on chance, or on who comes first. `npm test` tries it a few times, always the same ones;
 * `npm run test:deep` ten times as often, with other chance each time. DEPTH and SEED say both for any test.
 */
const depth = Number(process.env.DEPTH || 1)
export const seed = Number(process.env.SEED || 1)

/** @param few how often in `npm test`, where each case that must be seen comes up */
export function times(few: number): number {
  return Math.ceil(few * depth)
}
