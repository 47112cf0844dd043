import { compileFunction } from 'node:vm';
import type { InputError } from '@freehold/contract/problem';
import { checkSchema } from '../../lib/check-schema.ts';
import { closedObjectOf, type JsonSchema, text } from '../../lib/json-schema.ts';
import { operators } from '../../records/port.ts';
import { type AggregateContent, aggregateMembers } from './aggregate-step.ts';
import { itemName, listOf, remark, someText } from './kind-content.ts';
import {
  entityName,
  type FieldCondition,
  fieldConditions,
  fieldName,
  type HttpContent,
  httpErrors,
  type MailContent,
  outsideSteps,
} from './shared-content.ts';

interface StepBase {
  readonly id: string;
  readonly description?: string;
  /** The steps done where the step is refused; left out, the run ends. */
  readonly on_error?: OnErrorContent;
}

/** It goes on at the next step, at a later one of its list, or at the next one behind other steps. */
type OnErrorContent = 'continue' | { readonly goto: string } | { readonly steps: readonly LogicStep[] };

/** Values in which texts may be templates. */
type StepValues = Readonly<Record<string, unknown>>;

export interface StepComparison {
  readonly value: unknown;
  readonly op: (typeof operators)[number];
  readonly than: unknown;
}

export type LogicStep = StepBase &
  (
    | { readonly type: 'get'; readonly entity: string; readonly record: string }
    | {
        readonly type: 'list';
        readonly entity: string;
        readonly filters?: readonly FieldCondition[];
        readonly sortby?: string;
        readonly sortdir?: 'asc' | 'desc';
        readonly pagesize?: number;
        /** The only members of each record that the step keeps. */
        readonly fields?: readonly string[];
        /** The pages behind the first one, too. */
        readonly all?: boolean;
      }
    | AggregateContent
    | { readonly type: 'set'; readonly values: StepValues }
    | { readonly type: 'transform'; readonly value: unknown }
    /** The body of a function of `input`, `steps`, `record` and `user`. */
    | { readonly type: 'script'; readonly source: string }
    /** If it does not hold, the list goes on at a later step, or ends. */
    | { readonly type: 'condition'; readonly if: string | readonly StepComparison[]; readonly else?: string }
    | {
        readonly type: 'switch';
        readonly on: unknown;
        readonly cases: readonly { readonly is: unknown; readonly steps: readonly LogicStep[] }[];
        readonly default?: readonly LogicStep[];
      }
    | { readonly type: 'loop'; readonly over: unknown; readonly max: number; readonly steps: readonly LogicStep[] }
    /** Lists of steps that are done beside each other. None of them sees what another one does. */
    | { readonly type: 'parallel'; readonly branches: readonly (readonly LogicStep[])[] }
    | { readonly type: 'call'; readonly logicblock: string; readonly input?: StepValues }
    | {
        readonly type: 'raise';
        readonly status: RaisedStatus;
        readonly code: string;
        readonly message: string;
        readonly field?: string;
      }
    | { readonly type: 'create'; readonly entity: string; readonly values: StepValues }
    | {
        readonly type: 'update';
        readonly entity: string;
        readonly record: string;
        readonly values: StepValues;
        /** A number, or a template of one. */
        readonly if_version?: number | string;
      }
    | { readonly type: 'delete'; readonly entity: string; readonly record: string }
    | { readonly type: 'wait'; readonly seconds: number }
    | HttpContent
    | MailContent
  );

export type RaisedStatus = 400 | 403 | 404 | 409 | 422;

const stepId: JsonSchema = {
  ...text,
  pattern: '^[a-z][a-z0-9_]{0,62}$',
  description: 'a lower-case letter and then at most 62 of `a-z`, `0-9`, `_`',
};
const values: JsonSchema = { type: 'object', maxProperties: 200, propertyNames: fieldName, additionalProperties: true };
const record = someText(200);
const comparison = closedObjectOf({ value: {}, op: { ...text, enum: operators }, than: {} });
/** Of each its own schema is asked in turn, so that steps nest without a schema of every depth. */
const nested = listOf({ type: 'object', $ref: '#/$defs/LogicStep' }, 100, 1);
const onError: JsonSchema = {
  anyOf: [{ const: 'continue' }, closedObjectOf({ goto: stepId }), closedObjectOf({ steps: nested })],
};

interface StepSchema {
  readonly members: Readonly<Record<string, JsonSchema>>;
  readonly optional?: readonly string[];
  /** It works on values of the run alone, so it may be done within a write. */
  readonly isPure?: true;
  /** Whatever it is refused with is not caught. */
  readonly isUncaught?: true;
}

const raised = {
  status: { type: 'integer', enum: [400, 403, 404, 409, 422] },
  code: stepId,
  message: someText(1000),
  field: { ...text, maxLength: 200 },
};

const stepTypes: Readonly<Record<LogicStep['type'], StepSchema>> = {
  create: { members: { entity: entityName, values } },
  get: { members: { entity: entityName, record } },
  list: {
    members: {
      entity: entityName,
      filters: fieldConditions,
      sortby: fieldName,
      sortdir: { ...text, enum: ['asc', 'desc'] },
      pagesize: { type: 'integer', minimum: 1, maximum: 200 },
      fields: listOf(fieldName, 200, 1),
      all: { type: 'boolean' },
    },
    optional: ['filters', 'sortby', 'sortdir', 'pagesize', 'fields', 'all'],
  },
  aggregate: {
    members: { entity: entityName, filters: fieldConditions, ...aggregateMembers, all: { type: 'boolean' } },
    optional: ['filters', ...Object.keys(aggregateMembers), 'all'],
  },
  update: {
    members: { entity: entityName, record, values, if_version: { type: ['integer', 'string'], maxLength: 1000 } },
    optional: ['if_version'],
  },
  delete: { members: { entity: entityName, record } },
  set: { members: { values }, isPure: true },
  transform: { members: { value: {} }, isPure: true },
  script: { members: { source: someText(16 * 1024) } },
  condition: {
    members: { if: { anyOf: [listOf(comparison, 20, 1), someText(1000)] }, else: stepId },
    optional: ['else'],
    isPure: true,
  },
  switch: {
    members: { on: {}, cases: listOf(closedObjectOf({ is: {}, steps: nested }), 50, 1), default: nested },
    optional: ['default'],
    isPure: true,
  },
  loop: { members: { over: {}, max: { type: 'integer', minimum: 1, maximum: 1000 }, steps: nested }, isPure: true },
  parallel: { members: { branches: listOf(nested, 8, 2) }, isPure: true },
  call: {
    members: { logicblock: itemName, input: { type: 'object', maxProperties: 200, additionalProperties: true } },
    optional: ['input'],
    isPure: true,
  },
  raise: { members: raised, optional: ['field'], isPure: true, isUncaught: true },
  wait: { members: { seconds: { type: 'integer', minimum: 1, maximum: 2_592_000 } }, isUncaught: true },
  ...outsideSteps,
};

export const stepSchema: JsonSchema = {
  type: 'object',
  oneOf: Object.entries(stepTypes).map(([type, { members, optional = [], isUncaught = false }]) => {
    const caught = isUncaught ? {} : { on_error: onError };
    const all = { id: stepId, type: { const: type }, description: remark, ...members, ...caught };
    return closedObjectOf(all, ['description', ...optional, ...Object.keys(caught)]);
  }),
};

export function isPureStep(step: LogicStep): boolean {
  return stepTypes[step.type].isPure === true;
}

/** A list of steps within a step, and its position from there. */
interface StepList {
  readonly steps: readonly LogicStep[];
  readonly pointer: string;
}

function listsWithin(step: LogicStep): readonly StepList[] {
  const { on_error: caught } = step;
  const isHandled = typeof caught === 'object' && 'steps' in caught;
  return [...ownLists(step), ...(isHandled ? [{ steps: caught.steps, pointer: '/on_error/steps' }] : [])];
}

function ownLists(step: LogicStep): readonly StepList[] {
  switch (step.type) {
    case 'loop':
      return [{ steps: step.steps, pointer: '/steps' }];
    case 'parallel':
      return step.branches.map((steps, index) => ({ steps, pointer: `/branches/${index}` }));
    case 'switch': {
      const cases = step.cases.map(({ steps }, index) => ({ steps, pointer: `/cases/${index}/steps` }));
      return step.default === undefined ? cases : [...cases, { steps: step.default, pointer: '/default' }];
    }
    default:
      return [];
  }
}

export interface PlacedStep {
  readonly step: LogicStep;
  readonly pointer: string;
}

/** Every step of a list that was checked, with those within it, in their order. */
export function placedSteps(steps: readonly LogicStep[], pointer = '/steps'): readonly PlacedStep[] {
  return steps.flatMap((step, index) => {
    const at = `${pointer}/${index}`;
    return [{ step, pointer: at }, ...listsWithin(step).flatMap((one) => placedSteps(one.steps, at + one.pointer))];
  });
}

export function catchesErrors(steps: readonly LogicStep[]): boolean {
  return placedSteps(steps).some(({ step }) => step.on_error !== undefined);
}

const depthMax = 4;
const stepsMax = 200;

/** The faults of the steps of a block whose own list fits its schema. */
export function stepErrors(steps: readonly LogicStep[]): readonly InputError[] {
  const misfits = nestedErrors(steps, { pointer: '/steps', depth: 1 });
  if (misfits.length > 0) return misfits;
  const placed = placedSteps(steps);
  if (placed.length > stepsMax)
    return [{ pointer: '/steps', code: 'too_many', message: `a block may have at most ${stepsMax} steps in all` }];
  const ids = new Set<string>();
  const repeated = placed.flatMap(({ step: { id }, pointer }): readonly InputError[] => {
    if (ids.has(id)) return [{ pointer: `${pointer}/id`, code: 'duplicate', message: `\`${id}\` is listed twice` }];
    ids.add(id);
    return [];
  });
  const ofScripts = placed.flatMap(({ step, pointer }) =>
    step.type === 'script' ? scriptErrors(step.source, `${pointer}/source`) : [],
  );
  const ofOutside = placed.flatMap(({ step, pointer }) => (step.type === 'http' ? httpErrors(step, pointer) : []));
  return [...repeated, ...forwardErrors({ steps, pointer: '/steps' }), ...ofScripts, ...ofOutside];
}

function nestedErrors(
  steps: readonly LogicStep[],
  { pointer, depth }: { readonly pointer: string; readonly depth: number },
): readonly InputError[] {
  return steps.flatMap((step, index) =>
    listsWithin(step).flatMap((inner): readonly InputError[] => {
      const at = `${pointer}/${index}${inner.pointer}`;
      if (depth === depthMax)
        return [{ pointer: at, code: 'too_deep', message: `steps may stand at most ${depthMax} deep in one another` }];
      const misfits = inner.steps.flatMap((one, place) =>
        checkSchema(stepSchema, one, { pointer: `${at}/${place}`, name: 'a step' }),
      );
      return misfits.length > 0 ? misfits : nestedErrors(inner.steps, { pointer: at, depth: depth + 1 });
    }),
  );
}

/** A transaction is over before another call can see any of it, and is done as a whole or not at all. */
export function transactionErrors(content: {
  readonly transaction?: true;
  readonly steps: readonly LogicStep[];
}): readonly InputError[] {
  const { transaction, steps } = content;
  if (transaction !== true) return [];
  return placedSteps(steps).flatMap(({ step: { type, on_error }, pointer }): readonly InputError[] => {
    const message = type === 'wait' ? 'a transaction does not wait' : outsideOfTransactions;
    const isRefused = type === 'wait' || type === 'http' || type === 'mail';
    const code = 'contradiction';
    return [
      ...(isRefused ? [{ pointer: `${pointer}/type`, code, message }] : []),
      ...(on_error === undefined ? [] : [{ pointer: `${pointer}/on_error`, code, message: nothingCaught }]),
    ];
  });
}

/** A message that was sent stays sent where the writes are refused. */
export const outsideOfTransactions = 'a transaction sends nothing to other systems';

/** A refusal of a step is known when its writes are committed, all together. */
const nothingCaught = 'a transaction is done as a whole or not at all, and catches no errors';

/** `else` and `goto` lead forward, in the list of their step. */
function forwardErrors({ steps, pointer }: StepList): readonly InputError[] {
  const ids = steps.map(({ id }) => id);
  return steps.flatMap((step, index): readonly InputError[] => {
    const at = `${pointer}/${index}`;
    const within = listsWithin(step).flatMap((inner) => forwardErrors({ ...inner, pointer: at + inner.pointer }));
    const wrong = targetsOf(step).filter(({ id }) => ids.indexOf(id) <= index);
    const errors = wrong.map(({ id, member }): InputError => {
      const message = `\`${member.split('/').at(-1)}\` names \`${id}\`, which is no later step`;
      return { pointer: `${at}/${member}`, code: 'unknown_reference', message };
    });
    return [...errors, ...within];
  });
}

/** The steps that a step names as the next one, by its members. */
function targetsOf(step: LogicStep): readonly { readonly id: string; readonly member: string }[] {
  const { on_error: caught } = step;
  return [
    ...(step.type === 'condition' && step.else !== undefined ? [{ id: step.else, member: 'else' }] : []),
    ...(typeof caught === 'object' && 'goto' in caught ? [{ id: caught.goto, member: 'on_error/goto' }] : []),
  ];
}

const filename = 'script';

/**
 * The errors that keep a text from being a function's body, as far as parsing shows. Nothing of it is run here: that
 * is left to an interpreter which shares nothing with the platform.
 */
function scriptErrors(source: string, pointer: string): readonly InputError[] {
  try {
    compileFunction(`"use strict";${source}`, ['input', 'steps', 'record', 'user'], { filename });
    return [];
  } catch (error) {
    const [, line] = (error instanceof Error && /^script:(\d+)\n/.exec(error.stack ?? '')) || [];
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    const message = `${line === undefined ? '' : `at line ${line}: `}${reason}`;
    return [{ pointer, code: 'invalid_script', message }];
  }
}
