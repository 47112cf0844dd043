/** The logic blocks of an org as they are stored: made ready to be run, and by what starts them without a caller. */

import { compilePolicies } from '../../access/port.ts';
import { type ConfigSet, itemBodies, itemKey, itemsOfKind } from '../../config/port.ts';
import {
  type CompiledTemplate,
  compileTemplate,
  compileWhen,
  isMistake,
  type TemplateScope,
  type When,
} from '../../expressions/port.ts';
import { blockPolicyName } from '../../iam/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import type { Scope } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { type OrgPlace, orgScope, type SharedDeps } from '../automation-deps.ts';
import { readInputSchema } from '../kinds/input-schema.ts';
import { calledBlocks, type LogicBlockContent } from '../kinds/logicblock.ts';
import { inputType, knownEntity, type StepEntities, stepType, withError } from '../kinds/logicblock-expressions.ts';
import type { BlockStarts } from '../kinds/logicblock-starts.ts';
import { catchesErrors, type LogicStep, placedSteps } from '../kinds/logicblock-steps.ts';
import { atStep, blockFailure } from './block-failure.ts';
import type { CompiledBlock, CompiledStep, CompiledSteps, OnError, StepRun } from './block-run.ts';
import { caught } from './interpret.ts';
import {
  aggregate,
  type CompileStep,
  create,
  get,
  http,
  list,
  mail,
  remove,
  type StepCompiler,
  script,
  update,
  wait,
} from './steps/effect-steps.ts';
import { call, condition, loop, parallel, raise, switchOn } from './steps/flow-steps.ts';

/** One version of a block. */
interface BlockVersion {
  readonly name: string;
  readonly version: number;
}

export type StoredBlocks = ReturnType<typeof createStoredBlocks>;

/** @param caller that with which the run begins. @throws Problem `block_failed`. */
export function assertMayCall(caller: Pick<CompiledBlock, 'isTransaction'>, { name, ...called }: CompiledBlock): void {
  if (called.isTransaction && !caller.isTransaction)
    throw blockFailure(`logic block \`${name}\` is a transaction, which only transactions call`);
  if (called.catches === true && caller.isTransaction)
    throw blockFailure(`logic block \`${name}\` has \`on_error\`, and a transaction catches no errors`);
}

/** Of the contents whose blocks are kept ready, all orgs together. */
const keptCharactersMax = 4 * 1024 * 1024;

export function createStoredBlocks({ stores, configs }: Pick<SharedDeps, 'stores' | 'configs'>) {
  type CachedBlock = { readonly block: CompiledBlock; readonly characters: number };
  const kept = new BoundedMap<string, CachedBlock>(keptCharactersMax, ({ characters }) => characters);
  return {
    /**
     * A block, ready to be run among the entities that are live. Undefined where no such version is stored.
     * @throws Problem `block_failed` for a content that cannot be run.
     */
    at: async ({ env, orgCode, name, version }: OrgPlace & BlockVersion): Promise<CompiledBlock | undefined> => {
      const config = await configs[env].current(orgCode);
      const key = [env, orgCode, name, version, config.version].join(' ');
      const before = kept.get(key);
      if (before !== undefined) return before.block;
      const scope = orgScope({ stores }, { env, orgCode });
      const stored = await itemBodies.read(scope, { kind: 'logicblock', name, version });
      if (stored === undefined) return undefined;
      const content = stored.value as LogicBlockContent;
      const pause = createYielder({ org: orgCode, workspace: '' });
      const block = await compileBlock(content, { entities: await entitiesIn(config, content), pause });
      kept.set(key, { block, characters: JSON.stringify(content).length });
      return block;
    },
  };
}

/** Of the entities that the steps of a block name. */
export async function entitiesIn(config: ConfigSet, { steps }: LogicBlockContent): Promise<StepEntities> {
  const names = new Set(placedSteps(steps).flatMap(({ step }) => ('entity' in step ? [step.entity] : [])));
  const entities = await Promise.all([...names].map((name) => config.entity(name)));
  const known = new Map(
    entities.flatMap((entity) => (entity === undefined ? [] : [[entity.name, knownEntity(entity.definition, entity)]])),
  );
  return (name) => known.get(name);
}

export function liveVersion({ items }: ConfigSet, name: string): number | undefined {
  return items.get(itemKey({ kind: 'logicblock', name }));
}

/** Undefined where no such block is live. @throws Problem `block_failed`. */
export async function liveBlock(
  blocks: StoredBlocks,
  { config, place: { env, orgCode } }: { readonly config: ConfigSet; readonly place: OrgPlace },
  name: string,
): Promise<CompiledBlock | undefined> {
  const version = liveVersion(config, name);
  return version === undefined ? undefined : blocks.at({ env, orgCode, name, version });
}

/** The live versions of a block and of all that it calls, by name; what is not there is left out. */
export async function pinnedVersions(
  blocks: StoredBlocks,
  config: ConfigSet,
  { place: { env, orgCode }, name }: { readonly place: Workspace; readonly name: string },
): Promise<Readonly<Record<string, number>>> {
  const pinned = new Map<string, number>();
  for (const open = [name]; ; ) {
    const next = open.pop();
    if (next === undefined) return Object.fromEntries(pinned);
    const version = liveVersion(config, next);
    if (pinned.has(next) || version === undefined) continue;
    pinned.set(next, version);
    // A block that cannot be run calls none: its caller learns of that where it is reached.
    const found = await blocks.at({ env, orgCode, name: next, version }).catch(ignoreProblem);
    open.push(...(found?.calls ?? []));
  }
}

function ignoreProblem(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

/** A body has at most 256 KB. */
const bodiesPerRead = 10;

/** Stored versions of blocks with their contents, which are read some at a time, and let go of. @param scope that of the org. */
export async function* storedContents<Block extends BlockVersion>(
  scope: Scope,
  blocks: readonly Block[],
): AsyncGenerator<Block & { readonly content: LogicBlockContent | undefined }> {
  for (let start = 0; start < blocks.length; start += bodiesPerRead) {
    const part = blocks.slice(start, start + bodiesPerRead);
    const places = part.map(({ name, version }) => ({ kind: 'logicblock', name, version }) as const);
    const bodies = await itemBodies.readMany(scope, places);
    for (const [index, block] of part.entries())
      yield { ...block, content: bodies[index]?.value as LogicBlockContent | undefined };
  }
}

/** The blocks that start in this way without a caller. @param scope that of the org. */
export async function liveStarts<Way extends keyof BlockStarts>(
  scope: Scope,
  config: ConfigSet,
  way: Way,
): Promise<ReadonlyMap<string, NonNullable<BlockStarts[Way]>>> {
  const found = new Map<string, NonNullable<BlockStarts[Way]>>();
  for await (const { name, content } of storedContents(scope, itemsOfKind(config, 'logicblock'))) {
    const start = startOf(content, way);
    if (start !== undefined) found.set(name, start);
  }
  return found;
}

/** Undefined where no such block is live, or it does not start in this way. */
export async function liveStart<Way extends keyof BlockStarts>(
  scope: Scope,
  config: ConfigSet,
  { name, way }: { readonly name: string; readonly way: Way },
): Promise<BlockStarts[Way] | undefined> {
  const version = liveVersion(config, name);
  // A missing block takes a read too, so that no caller learns from the time which blocks exist.
  const one = version === undefined ? { name: 'none', version: 0 } : { name, version };
  const body = await itemBodies.read(scope, { kind: 'logicblock', ...one });
  return startOf(body?.value as LogicBlockContent | undefined, way);
}

/** The steps of another block than one of the app are decided by its caller's policies, and no caller is there. */
function startOf<Way extends keyof BlockStarts>(content: LogicBlockContent | undefined, way: Way) {
  return content?.run_as === 'app' ? content[way] : undefined;
}

const set: CompileStep<'set'> = ({ values }, { template }) => {
  const made = template(values);
  return (run) => ({ value: run.evaluate(made) });
};

const transform: CompileStep<'transform'> = ({ value }, { template }) => {
  const made = template(value);
  return (run) => ({ value: run.evaluate(made) });
};

/** All types of steps. A type that is missing here is a mistake in its types. */
const stepTypes: { readonly [T in LogicStep['type']]: CompileStep<T> } = {
  get,
  list,
  aggregate,
  set,
  transform,
  script,
  condition,
  switch: switchOn,
  loop,
  parallel,
  call,
  raise,
  create,
  update,
  delete: remove,
  wait,
  http,
  mail,
};

function appOf({ name, run_as, policies: statements }: LogicBlockContent): CompiledBlock['app'] {
  if (run_as !== 'app') return undefined;
  return compilePolicies([{ policyId: '', policyName: blockPolicyName(name), via: { kind: 'direct' }, statements }]);
}

interface BlockSurroundings {
  /** Those by which the content was checked when it was defined. */
  readonly entities: StepEntities;
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

/** Makes steps ready in their order; each may read the values of those before it. */
class BlockCompiler {
  readonly #surroundings: BlockSurroundings;
  #scope: TemplateScope;

  constructor(surroundings: BlockSurroundings, scope: TemplateScope) {
    this.#surroundings = surroundings;
    this.#scope = scope;
  }

  template(value: unknown, encode?: (text: string) => string): CompiledTemplate {
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
      // Each is kept under the type of the steps that it takes.
      const compile = stepTypes[type] as (step: LogicStep, compiler: StepCompiler) => MaybePromise<StepRun>;
      const run = await compile(step, {
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
    const { id, on_error: handler } = step;
    if (handler === undefined) return undefined;
    this.#declare(step);
    this.#scope = withError(this.#scope, id);
    if (handler === 'continue') return { steps: [] };
    if ('goto' in handler) return { steps: [], next: list.findIndex((one) => one.id === handler.goto) };
    return { steps: await this.steps(handler.steps) };
  }

  #declare(step: LogicStep): void {
    const type = stepType(step, this.#surroundings.entities);
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
