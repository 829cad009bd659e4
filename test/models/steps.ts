/**
 * Steps: random steps of a model-based test, taken on the service and on a reference model of it.
 *
 * The model is written from the contract and not from the code. After each step, the answer must be the model's, and everybody must see
 * what the model holds.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { seed, times } from '../depth.ts'
import type { Answer } from '../world.ts'

/** A model's expected answer: the status, and required parts of the body. */
export interface Foreseen {
  readonly status: number
  readonly body?: object
}

/** A model throws it where the contract refuses. */
export class Refusal extends Error {
  readonly foreseen: Foreseen

  constructor(status: number, code: string) {
    super(code)
    this.foreseen = { status, body: { code } }
  }
}

/** An action of a person. */
export interface Step<Model, Service, Choice> {
  /** A sentence for people, such as "ann leaves". */
  readonly tell: (choice: Choice) => string
  /** Does it to the model, and returns the service's expected answer. */
  readonly foresee: (model: Model, choice: Choice) => Foreseen
  /** Does it to the service. */
  readonly send: (service: Service, choice: Choice) => Promise<Answer>
  /** Whether its subject exists; by default always. */
  readonly isPossible?: (model: Model, choice: Choice) => boolean
}

export interface Walk<Model, Service, Choice, Start> {
  readonly steps: readonly Step<Model, Service, Choice>[]
  /** What each walk starts from. */
  readonly start: fc.Arbitrary<Start>
  /** The first steps of a walk, so that all walks together come everywhere. */
  opening?(start: Start): readonly (readonly [Step<Model, Service, Choice>, Choice])[]
  /** The range of choices of each step. */
  readonly choices: fc.Arbitrary<Choice>
  /** Resolves a choice when its step comes: numbers become those of existing things. */
  settle(model: Model, choice: Choice): Choice
  /** The number of walks in `npm test`, each from a new start. */
  readonly runs: number
  /** The maximum number of steps in a walk. */
  readonly most: number
  begin(start: Start): Promise<{ model: Model; real: Service }>
  /** Throws if a person sees something else than the model holds. */
  compare(model: Model, service: Service, choice: Choice): Promise<void>
  end?(model: Model, service: Service): Promise<void>
}

/** Walks through random steps, made from SEED. A failure is reported as the shortest failing walk, with its seed. */
export async function walk<Model extends object, Service, Choice, Start>({
  steps,
  start,
  opening = () => [],
  choices,
  settle,
  runs,
  most,
  begin,
  compare,
  end,
}: Walk<Model, Service, Choice, Start>): Promise<void> {
  let told: string[] = []
  const commandOf = (step: Step<Model, Service, Choice>, choice: Choice): fc.AsyncCommand<Model, Service> => ({
    toString: () => step.tell(choice),
    check: (model) => step.isPossible?.(model, settle(model, choice)) ?? true,
    run: async (model, service) => {
      const settled = settle(model, choice)
      told.push(step.tell(settled))
      const foreseen = refusing(() => step.foresee(model, settled))
      const { status, body } = await step.send(service, settled)
      const what = `${JSON.stringify({ status, body })} in the place of ${JSON.stringify(foreseen)}`
      assert.partialDeepStrictEqual({ status, body }, foreseen, what)
      await compare(model, service, settled)
    },
  })
  const commands = steps.map((step) => choices.map((choice) => commandOf(step, choice)))
  // Otherwise the first walks would be short, and there are few.
  const property = fc.asyncProperty(
    fc.noBias(start),
    fc.noBias(fc.commands(commands, { maxCommands: most, size: 'max' })),
    async (started, walked) => {
      told = []
      const first = opening(started).map(([step, choice]) => commandOf(step, choice))
      const { model, real } = await begin(started)
      try {
        await fc.asyncModelRun(() => ({ model, real }), [...first, ...walked])
        await end?.(model, real)
      } catch (error) {
        // The choices of a walk are resolved as it goes; this prints them.
        throw new Error(`${told.join('; ')}: ${error instanceof Error ? error.message : error}`, { cause: error })
      }
    },
  )
  await fc.assert(property, { numRuns: times(runs), seed })
}

function refusing(foresee: () => Foreseen): Foreseen {
  try {
    return foresee()
  } catch (error) {
    if (error instanceof Refusal) return error.foreseen
    throw error
  }
}
