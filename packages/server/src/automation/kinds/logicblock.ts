import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { parseStatements, type Statement, statementSchemas } from '../../access/port.ts';
import { entityReference } from '../../entities/port.ts';
import { readContent } from '../../lib/check-schema.ts';
import { closedObjectOf, type JsonSchema } from '../../lib/json-schema.ts';
import {
  type ConfigKind,
  describeList,
  describeMembers,
  type ItemReference,
  listed,
  otherName,
  plainStorage,
} from '../../promotion/port.ts';
import { readInputSchema } from './input-schema.ts';
import { itemName, listOf, remark } from './kind-content.ts';
import { blockTemplateErrors, knownEntities } from './logicblock-expressions.ts';
import {
  type BlockStarts,
  refuseTooManyStarts,
  startErrors,
  startMembers,
  widenedStarts,
} from './logicblock-starts.ts';
import {
  type LogicStep,
  type PlacedStep,
  placedSteps,
  stepErrors,
  stepSchema,
  transactionErrors,
} from './logicblock-steps.ts';
import { sentOutside } from './shared-content.ts';

/** Steps, done one after the other. */
export interface LogicBlockContent extends BlockRights, BlockStarts {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its input. It is kept as it was given. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  /** The writes of its steps are one commit, at its end. */
  readonly transaction?: true;
  readonly steps: readonly LogicStep[];
  readonly returns?: unknown;
}

/** By whose policies the steps of a block are decided: by those of its caller, or by its own. */
interface BlockRights {
  readonly run_as?: 'caller' | 'app';
  /** Statements, as policies have them. They need `run_as: "app"`. */
  readonly policies?: readonly unknown[];
}

const rightsMembers: Readonly<Record<keyof BlockRights, JsonSchema>> = {
  run_as: { type: 'string', enum: ['caller', 'app'] },
  policies: listOf({ type: 'object', $ref: '#/$defs/PolicyStatement' }, 50, 1),
};

const { PolicyStatements: _, ...rightsDefinitions } = statementSchemas((name) => ({ $ref: `#/$defs/${name}` }));

const schema: JsonSchema = {
  ...closedObjectOf(
    {
      name: itemName,
      description: remark,
      input_schema: { type: 'object', maxProperties: 100, additionalProperties: true },
      ...rightsMembers,
      ...startMembers,
      transaction: { const: true },
      steps: listOf(stepSchema, 100, 1),
      returns: {},
    },
    ['description', 'input_schema', 'run_as', 'policies', 'schedule', 'hook', 'transaction', 'returns'],
  ),
  $defs: { LogicStep: stepSchema, ...rightsDefinitions },
};

export const logicBlockKind: ConfigKind<LogicBlockContent> = {
  kind: 'logicblock',
  storage: plainStorage,
  singular: 'logicblock',
  boundedAs: 'logic blocks',
  schema,
  parse: (name, input) =>
    readContent<LogicBlockContent>(schema, input, (content) => [
      ...otherName('/name', name, content.name),
      ...stepErrors(content.steps),
      ...transactionErrors(content),
      ...rightsErrors(content),
      ...startErrors(content),
    ]),
  check: (content, live) => blockTemplateErrors(content, knownEntities(live)),
  refuseTooMany: ({ env, after, wanted }) => {
    if (env === 'test') refuseTooManyStarts(wanted, after);
  },
  references: ({ name, steps }) => placedSteps(steps).flatMap((one) => stepReferences(one, name)),
  describe: ({ before, after }) => {
    if (before === undefined)
      return after === undefined ? [] : [`logic block \`${after.name}\` is new, with ${after.steps.length} steps`];
    if (after === undefined) return [`logic block \`${before.name}\` is taken out`];
    const steps = describeList({
      what: 'step',
      nameOf: ({ id }) => id,
      before: before.steps,
      after: after.steps,
      added: ({ type }) => `is new, of the type \`${type}\``,
    });
    return [...describeMembers('', { before, after }, ['steps']), ...steps];
  },
  isIdle: ({ input_schema = {} }) => 'errors' in readInputSchema(input_schema),
  widening: ({ before, after }) => {
    const known = sentBy(before);
    const sent = sentBy(after).filter((sentence) => !known.includes(sentence));
    const scripts = scriptsOf(before).map(({ source }) => source);
    const others = scriptsOf(after).filter(({ source }) => !scripts.includes(source));
    return [
      ...sent,
      ...others.map(({ id }) => `another script is run in the step \`${id}\``),
      ...widenedRights(before, after),
      ...widenedStarts(before, after),
    ];
  },
};

export function calledBlocks({ name, steps }: LogicBlockContent): readonly string[] {
  const called = placedSteps(steps).flatMap(({ step }) => (step.type === 'call' ? [step.logicblock] : []));
  return [...new Set(called)].filter((other) => other !== name);
}

function sentBy(content: LogicBlockContent | undefined): readonly string[] {
  const placed = placedSteps(content?.steps ?? []);
  return sentOutside(placed.flatMap(({ step }) => (step.type === 'http' || step.type === 'mail' ? [step] : [])));
}

function scriptsOf(content: LogicBlockContent | undefined) {
  return placedSteps(content?.steps ?? []).flatMap(({ step }) => (step.type === 'script' ? [step] : []));
}

/** A block that calls itself needs no other item; blocks that call each other may, since they are activated together. */
function stepReferences({ step, pointer }: PlacedStep, own: string): readonly ItemReference[] {
  if (step.type === 'call') {
    const { id, logicblock: name } = step;
    if (name === own) return [];
    return [{ kind: 'logicblock', name, pointer: `${pointer}/logicblock`, reason: `calls it in the step \`${id}\`` }];
  }
  if (!('entity' in step)) return [];
  return entityReference(step.entity, `${pointer}/entity`, `works on its records in the step \`${step.id}\``);
}

function rightsErrors({ run_as, policies }: BlockRights): readonly InputError[] {
  if (run_as !== 'app')
    return policies === undefined
      ? []
      : [{ pointer: '/policies', code: 'contradiction', message: '`policies` need `"run_as": "app"`' }];
  if (policies === undefined)
    return [{ pointer: '/policies', code: 'required', message: '`policies` is required beside `"run_as": "app"`' }];
  const parsed = parseStatements(policies);
  return 'statements' in parsed
    ? []
    : parsed.errors.map((error) => ({ ...error, pointer: `/policies${error.pointer}` }));
}

function widenedRights(before: BlockRights | undefined, after: BlockRights | undefined): readonly string[] {
  const was = before?.run_as === 'app' ? statementsOf(before) : undefined;
  const is = after?.run_as === 'app' ? statementsOf(after) : undefined;
  if (is === undefined) return [];
  const gained = is.filter(({ Effect }) => Effect === 'Allow').filter(isNotIn(was ?? []));
  const lost = (was ?? []).filter(({ Effect }) => Effect === 'Deny').filter(isNotIn(is));
  return [
    ...(was === undefined ? ['its steps are decided by policies of its own, and not by those of its caller'] : []),
    ...gained.map((statement) => `its steps may do ${shownStatement(statement)}`),
    ...lost.map((statement) => `its steps are not denied ${shownStatement(statement)} any more`),
  ];
}

/** Those that are enforced. */
function statementsOf({ policies }: BlockRights): readonly Statement[] {
  const parsed = parseStatements(policies);
  return 'statements' in parsed ? parsed.statements.filter(({ Mode }) => Mode === undefined) : [];
}

function isNotIn(others: readonly Statement[]): (statement: Statement) => boolean {
  return (statement) => !others.some((other) => isDeepStrictEqual(other, statement));
}

function shownStatement({ Action, Resource, Condition }: Statement): string {
  return `${listed([Action].flat())} on ${listed([Resource].flat())}${Condition === undefined ? '' : ', on conditions'}`;
}
