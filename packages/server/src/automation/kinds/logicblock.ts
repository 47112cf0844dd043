import { entityReference } from '../../entities/port.ts';
import { closedObjectOf, type JsonSchema } from '../../lib/json-schema.ts';
import {
  type ConfigKind,
  describeList,
  describeMembers,
  type ItemReference,
  itemName,
  listOf,
  otherName,
  plainStorage,
  readContent,
  remark,
} from '../../promotion/port.ts';
import { type BlockRights, rightsDefinitions, rightsErrors, rightsMembers, widenedRights } from './block-policies.ts';
import { type BlockStarts, refuseTooManyStarts, startErrors, startMembers, widenedStarts } from './block-starts.ts';
import { blockTemplateErrors } from './block-templates.ts';
import { readInputSchema } from './input-schema.ts';
import {
  type LogicStep,
  type PlacedStep,
  placedSteps,
  stepErrors,
  stepSchema,
  transactionErrors,
} from './logicblock-steps.ts';
import { sentOutside } from './outside-steps.ts';
import { recordTypes } from './record-types.ts';

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

const schema: JsonSchema = {
  ...closedObjectOf(
    {
      name: itemName,
      description: remark,
      input_schema: { type: 'object', maxProperties: 100 },
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
  check: (content, live) => blockTemplateErrors(content, recordTypes(live)),
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

/** The other blocks that a block calls. */
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
