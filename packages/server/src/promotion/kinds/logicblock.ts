import type { InputError } from '@freehold/contract/problem';
import { closedObjectOf, type JsonSchema, text } from '../../lib/json-schema.ts';
import { operators } from '../../records/port.ts';
import type { ConfigKind, ItemReference } from '../config-kind.ts';
import { describeList, describeMembers } from '../differences/describe-change.ts';
import {
  address,
  entityName,
  entityReference,
  fieldConditions,
  fieldName,
  headers,
  itemName,
  listOf,
  otherName,
  readContent,
  remark,
  repeated,
  requestErrors,
  someText,
} from '../items/config-content.ts';
import { blockTemplateErrors } from './block-templates.ts';
import { plainStorage } from './plain-storage.ts';

/** Steps, done one after the other. Nothing runs them yet: what texts in them may refer to is not settled. */
export interface LogicBlockContent {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of what it is called with. It is kept as it was given. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  readonly steps: readonly LogicStep[];
  readonly returns?: unknown;
}

interface StepBase {
  readonly id: string;
  readonly description?: string;
}

export type LogicStep = StepBase &
  (
    | { readonly type: 'create' | 'update' | 'delete' | 'get' | 'list'; readonly entity: string }
    | { readonly type: 'call'; readonly logicblock: string; readonly input?: Readonly<Record<string, unknown>> }
    | {
        readonly type: 'http';
        readonly method: string;
        readonly url: string;
        readonly headers?: Readonly<Record<string, string>>;
        readonly body?: unknown;
      }
    /** Where one of the conditions does not hold, it goes on at a later step, or ends. */
    | { readonly type: 'condition'; readonly if: readonly object[]; readonly else?: string }
  );

const stepId: JsonSchema = {
  ...text,
  pattern: '^[a-z][a-z0-9_]{0,62}$',
  description: 'a lower-case letter and then at most 62 of `a-z`, `0-9`, `_`',
};
const values: JsonSchema = { type: 'object', maxProperties: 200, propertyNames: fieldName };
const record = someText(200);
const comparison = closedObjectOf({ value: {}, op: { ...text, enum: operators }, than: {} });

/** By type: the members of a step beside its id, and which of them may be left out. */
const stepTypes: Readonly<
  Record<LogicStep['type'], readonly [Readonly<Record<string, JsonSchema>>, readonly string[]]>
> = {
  create: [{ entity: entityName, values }, []],
  get: [{ entity: entityName, record }, []],
  list: [
    {
      entity: entityName,
      filters: fieldConditions,
      sortby: fieldName,
      sortdir: { ...text, enum: ['asc', 'desc'] },
      pagesize: { type: 'integer', minimum: 1, maximum: 200 },
    },
    ['filters', 'sortby', 'sortdir', 'pagesize'],
  ],
  update: [{ entity: entityName, record, values }, []],
  delete: [{ entity: entityName, record }, []],
  call: [{ logicblock: itemName, input: { type: 'object', maxProperties: 200 } }, ['input']],
  http: [
    { method: { ...text, enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] }, url: address, headers, body: {} },
    ['headers', 'body'],
  ],
  condition: [{ if: listOf(comparison, 20, 1), else: stepId }, ['else']],
};

const step: JsonSchema = {
  type: 'object',
  oneOf: Object.entries(stepTypes).map(([type, [members, optional]]) =>
    closedObjectOf({ id: stepId, type: { const: type }, description: remark, ...members }, [
      'description',
      ...optional,
    ]),
  ),
};

const schema: JsonSchema = closedObjectOf(
  {
    name: itemName,
    description: remark,
    input_schema: { type: 'object', maxProperties: 100 },
    steps: listOf(step, 100, 1),
    returns: {},
  },
  ['description', 'input_schema', 'returns'],
);

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
    ]),
  check: blockTemplateErrors,
  references: ({ name, steps }) => steps.flatMap((one, index) => stepReferences(one, `/steps/${index}`, name)),
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
  isIdle: () => true,
  widening: ({ before, after }) => {
    const known = urlsOf(before);
    return urlsOf(after)
      .filter((url) => !known.includes(url))
      .map((url) => `data may be sent to \`${url}\``);
  },
};

function urlsOf(content: LogicBlockContent | undefined): readonly string[] {
  const urls = (content?.steps ?? []).flatMap((one) => (one.type === 'http' ? [one.url] : []));
  return [...new Set(urls)];
}

function stepErrors(steps: readonly LogicStep[]): readonly InputError[] {
  const ids = steps.map(({ id }) => id);
  const ofSteps = steps.flatMap((one, index): readonly InputError[] => {
    if (one.type === 'http') return requestErrors(one, `/steps/${index}`);
    if (one.type !== 'condition' || one.else === undefined || ids.indexOf(one.else) > index) return [];
    const message = `\`else\` names \`${one.else}\`, which is no later step`;
    return [{ pointer: `/steps/${index}/else`, code: 'unknown_reference', message }];
  });
  return [...repeated(ids, (index) => `/steps/${index}/id`), ...ofSteps];
}

/** A block that calls itself needs no other item; blocks that call each other may, since they are activated together. */
function stepReferences(one: LogicStep, pointer: string, own: string): readonly ItemReference[] {
  switch (one.type) {
    case 'http':
    case 'condition':
      return [];
    case 'call': {
      const { id, logicblock: name } = one;
      if (name === own) return [];
      return [{ kind: 'logicblock', name, pointer: `${pointer}/logicblock`, reason: `calls it in the step \`${id}\`` }];
    }
    default:
      return entityReference(one.entity, `${pointer}/entity`, `works on its records in the step \`${one.id}\``);
  }
}
