import { compilePolicies } from '../../access/port.ts';
import {
  compileTemplate,
  compileWhen,
  isMistake,
  type Template,
  type TemplateScope,
  type When,
} from '../../expressions/port.ts';
import { blockPolicyName } from '../../iam/port.ts';
import { Problem } from '../../lib/problem.ts';
import { readInputSchema } from '../kinds/input-schema.ts';
import { calledBlocks, type LogicBlockContent } from '../kinds/logicblock.ts';
import { inputType, type RecordTypes, stepType, withError } from '../kinds/logicblock-expressions.ts';
import { catchesErrors, type LogicStep } from '../kinds/logicblock-steps.ts';
import { atStep, blockFailure } from './block-failure.ts';
import type { CompiledBlock, CompiledStep, CompiledSteps, OnError, StepRun } from './effects.ts';
import { caught } from './interpret.ts';
import { compileStep } from './steps/step-types.ts';

function appOf({ name, run_as, policies: statements }: LogicBlockContent): CompiledBlock['app'] {
  if (run_as !== 'app') return undefined;
  return compilePolicies([{ policyId: '', policyName: blockPolicyName(name), via: { kind: 'direct' }, statements }]);
}

export interface BlockSurroundings {
  /** Those by which the content was checked when it was defined. */
  readonly typeOf: RecordTypes;
  readonly pause: () => Promise<void> | undefined;
}

/** @throws Problem `block_failed` for a content that was stored and cannot be run. */
export async function compileBlock(
  content: LogicBlockContent,
  surroundings: BlockSurroundings,
): Promise<CompiledBlock> {
  const { name, input_schema = {}, steps, returns } = content;
  const input = readInputSchema(input_schema);
  if ('errors' in input)
    throw blockFailure(`logic block \`${name}\` is not run: its \`input_schema\` says what is not checked`);
  const catches = catchesErrors(steps);
  const scope = { steps: new Map(), input: inputType(input_schema), ...(catches ? { errors: new Map() } : {}) };
  const compiler = new BlockCompiler(surroundings, scope);
  const compiled = await compiler.steps(steps);
  return {
    name,
    input: { ...input.schema, type: 'object' },
    steps: compiled,
    returns: returns === undefined ? undefined : compiler.template(returns),
    isTransaction: content.transaction === true,
    catches,
    calls: calledBlocks(content),
    app: appOf(content),
  };
}

/** Makes steps ready in the order in which they stand; each may read the values of those before it. */
class BlockCompiler {
  readonly #surroundings: BlockSurroundings;
  #scope: TemplateScope;

  constructor(surroundings: BlockSurroundings, scope: TemplateScope) {
    this.#surroundings = surroundings;
    this.#scope = scope;
  }

  template(value: unknown, encode?: (text: string) => string): Template {
    const template = compileTemplate(value, this.#scope, '', encode);
    if ('evaluate' in template) return template;
    throw invalidExpression();
  }

  when(source: string): When {
    const when = compileWhen(source, this.#scope);
    if (isMistake(when)) throw invalidExpression();
    return when;
  }

  async steps(steps: readonly LogicStep[]): Promise<CompiledSteps> {
    const compiled: CompiledStep[] = [];
    for (const step of steps) {
      await this.#surroundings.pause();
      compiled.push(await this.#step(step, steps));
      this.#declare(step);
    }
    return compiled;
  }

  async #step(step: LogicStep, list: readonly LogicStep[]): Promise<CompiledStep> {
    const { id, type } = step;
    const onError = () => this.#onError(step, list);
    try {
      const run = await compileStep(step, {
        onError,
        template: (value, encode) => this.template(value, encode),
        when: (source) => this.when(source),
        within: (steps) => {
          // Steps within a loop read the element that they are done for.
          this.#declare(step);
          return this.steps(steps);
        },
        placeOf: (other) => (other === undefined ? list.length : list.findIndex((one) => one.id === other)),
      });
      // A loop catches by itself, pass by pass.
      const ifRefused = type === 'loop' ? undefined : await onError();
      return { id, type, run: ifRefused === undefined ? run : catchingRun({ id, type, run }, ifRefused) };
    } catch (error) {
      throw error instanceof Problem ? atStep(id, error) : error;
    }
  }

  async #onError(step: LogicStep, list: readonly LogicStep[]): Promise<OnError | undefined> {
    const { id, on_error: asked } = step;
    if (asked === undefined) return undefined;
    this.#declare(step);
    this.#scope = withError(this.#scope, id);
    if (asked === 'continue') return { steps: [] };
    if ('goto' in asked) return { steps: [], next: list.findIndex((one) => one.id === asked.goto) };
    return { steps: await this.steps(asked.steps) };
  }

  #declare(step: LogicStep): void {
    const type = stepType(step, this.#surroundings.typeOf);
    this.#scope = { ...this.#scope, steps: new Map([...this.#scope.steps, [step.id, type]]) };
  }
}

function catchingRun(step: CompiledStep, onError: OnError): StepRun {
  return (run, path) => {
    run.forgetError(step.id);
    // That of an earlier pass is none of the step that is refused.
    run.keep(step.id, null);
    return caught(run, { step, path, onError }, () => step.run(run, path));
  };
}

function invalidExpression(): Problem {
  return blockFailure('an expression is not valid');
}
