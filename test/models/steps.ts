/**
 * Steps: what a model-based test does, chosen at random, to the service and to a reference model of it.
 *
 * The model is written from the contract and not from the code. After each step the answer is the one that the model foresees, and
 * what everybody sees is what the model holds.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { seed, times } from '../depth.ts'
import type { Answer } from '../world.ts'

/** What a model foresees: the status, and what the body holds at least. */
export interface Foreseen {
  readonly status: number
  readonly body?: object
}

/** Thrown by a model where the contract refuses. */
export class Refusal extends Error {
  readonly foreseen: Foreseen

  constructor(status: number, code: string) {
    super(code)
    this.foreseen = { status, body: { code } }
  }
}

/** One thing that somebody can do. */
export interface Step<Model, Service, Choice> {
  /** A sentence for people, such as "ann leaves". */
  readonly tell: (choice: Choice) => string
  /** Does it to the model, and says how the service must answer. */
  readonly foresee: (model: Model, choice: Choice) => Foreseen
  /** Does it to the service. */
  readonly send: (service: Service, choice: Choice) => Promise<Answer>
  /** Whether there is what it is about; it can always be done unless told otherwise. */
  readonly isPossible?: (model: Model, choice: Choice) => boolean
}

export interface Walk<Model, Service, Choice> {
  readonly steps: readonly Step<Model, Service, Choice>[]
  /** What each step chooses of. */
  readonly choices: fc.Arbitrary<Choice>
  /** What a choice means when its step comes: numbers become those of things that there are. */
  settle(model: Model, choice: Choice): Choice
  /** How often it is walked, each time from a new start, in `npm test`. */
  readonly runs: number
  /** How many steps it has at most. */
  readonly most: number
  begin(): Promise<{ model: Model; real: Service }>
  /** Throws when somebody sees something else than the model holds. */
  compare(model: Model, service: Service, choice: Choice): Promise<void>
  end?(model: Model, service: Service): Promise<void>
}

/** Walks through random steps, made from SEED. What fails is told as the shortest walk that fails, with the seed of it. */
export async function walk<Model extends object, Service, Choice>({
  steps,
  choices,
  settle,
  runs,
  most,
  begin,
  compare,
  end,
}: Walk<Model, Service, Choice>): Promise<void> {
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
  // Otherwise the first walks, of which there are few, would be short ones.
  const property = fc.asyncProperty(
    fc.noBias(fc.commands(commands, { maxCommands: most, size: 'max' })),
    async (walked) => {
      told = []
      const { model, real } = await begin()
      try {
        await fc.asyncModelRun(() => ({ model, real }), walked)
        await end?.(model, real)
      } catch (error) {
        // The choices of a walk are settled as it goes: this is what was done, in so many words.
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
