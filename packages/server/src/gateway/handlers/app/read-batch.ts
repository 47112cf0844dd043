import type { InputError } from '@freehold/contract/problem';
import { pointerTo } from '../../../lib/json-pointer.ts';
import { invalidBody } from '../../../lib/problem.ts';
import { unknownNames } from '../../../lib/unknown-names.ts';
import type { IfMatch } from '../../../records/port.ts';
import { systemEntityNames } from '../../../schema/port.ts';
import { parseIfMatch } from '../../pipeline/preconditions.ts';

export interface Batch {
  /** All operations or none; else each for itself, one after the other. */
  readonly isAtomic: boolean;
  /** The one place in which the operations of a request are told apart: whoever counts calls counts these. */
  readonly operations: readonly BatchOperation[];
}

export type BatchOperation =
  | { readonly action: 'create'; readonly entity: string; readonly data: unknown }
  | {
      readonly action: 'update';
      readonly entity: string;
      readonly id: string;
      readonly data: unknown;
      readonly ifMatch?: IfMatch;
    }
  | { readonly action: 'delete'; readonly entity: string; readonly id: string; readonly ifMatch?: IfMatch };

type Action = BatchOperation['action'];
type Members = Readonly<Record<string, unknown>>;

const operationsMax = 100;

/** @throws Problem `validation_failed` or `unknown_field`, with everything that is wrong with the shape of the batch. */
export function readBatch(body: unknown): Batch {
  if (!isObject(body)) throw invalidBody([wrong('', 'wrong_type', 'a batch is a JSON object')]);
  const { mode, operations } = body;
  const unknown = unknownNames(body, (name) => name === 'mode' || name === 'operations');
  const errors = unknown.map((name) => unknownMember('', name, 'a batch'));
  if (mode !== 'atomic' && mode !== 'independent')
    errors.push(
      wrong('/mode', mode === undefined ? 'required' : 'not_in_enum', '`mode` must be `atomic` or `independent`'),
    );
  const read: BatchOperation[] = [];
  if (Array.isArray(operations) && operations.length > 0 && operations.length <= operationsMax)
    for (const [index, operation] of operations.entries()) read.push(...readOperation(operation, index, errors));
  else {
    const code = operations === undefined ? 'required' : 'wrong_type';
    errors.push(wrong('/operations', code, `\`operations\` must be an array of 1 to ${operationsMax} operations`));
  }
  const isAtomic = mode === 'atomic';
  if (errors.length === 0 && isAtomic) errors.push(...doubledRecords(read), ...severalOfAccess(read));
  if (errors.length > 0) throw invalidBody(errors);
  return { isAtomic, operations: read };
}

interface Member {
  readonly name: 'entity' | 'id' | 'data' | 'if_match';
  readonly neededBy: readonly Action[];
  readonly takenBy: readonly Action[];
  readonly isRight: (value: unknown) => boolean;
  readonly demand: string;
}

/** What names an entity or a record is held to what can stand in a path, since it is decided by the path it would have. */
const members: readonly Member[] = [
  {
    name: 'entity',
    neededBy: ['create', 'update', 'delete'],
    takenBy: [],
    isRight: (value) => typeof value === 'string' && /^[a-z][a-z0-9_]{0,62}$/.test(value),
    demand: 'must be the name of an entity',
  },
  {
    name: 'id',
    neededBy: ['update', 'delete'],
    takenBy: [],
    isRight: (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value),
    demand: 'must be the id of a record',
  },
  { name: 'data', neededBy: ['create', 'update'], takenBy: [], isRight: isObject, demand: 'must be a JSON object' },
  {
    name: 'if_match',
    neededBy: [],
    takenBy: ['update', 'delete'],
    isRight: (value) => typeof value === 'string' && parseIfMatch(value) !== undefined,
    demand: 'must be `*` or a list of entity tags, each in its quotes',
  },
];

/** The operation, or none where something is wrong with it. */
function readOperation(input: unknown, index: number, errors: InputError[]): readonly BatchOperation[] {
  const place = `/operations/${index}`;
  const mistakes: InputError[] = [];
  const { action, ...rest } = isObject(input) ? input : {};
  if (!isObject(input)) mistakes.push(wrong(place, 'wrong_type', 'an operation is a JSON object'));
  else if (!isAction(action)) {
    const code = action === undefined ? 'required' : 'not_in_enum';
    mistakes.push(wrong(`${place}/action`, code, '`action` must be `create`, `update` or `delete`'));
  } else {
    mistakes.push(...mistakesOf(rest, action, place));
    if (mistakes.length === 0) return [operationOf(action, rest)];
  }
  errors.push(...mistakes);
  return [];
}

function mistakesOf(input: Members, action: Action, place: string): readonly InputError[] {
  const mistakes: InputError[] = [];
  const taken = members.filter(({ neededBy, takenBy }) => neededBy.includes(action) || takenBy.includes(action));
  for (const { name, neededBy, isRight, demand } of taken) {
    const isNeeded = neededBy.includes(action);
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined && isNeeded)
      mistakes.push(wrong(`${place}/${name}`, 'required', `\`${name}\` is required`));
    if (value !== undefined && !isRight(value))
      mistakes.push(wrong(`${place}/${name}`, 'wrong_type', `\`${name}\` ${demand}`));
  }
  const unknown = unknownNames(input, (name) => taken.some((member) => member.name === name));
  return [...mistakes, ...unknown.map((name) => unknownMember(place, name, `\`${action}\``))];
}

function operationOf(action: Action, { entity, id, data, if_match }: Members): BatchOperation {
  const ifMatch = if_match === undefined ? undefined : parseIfMatch(String(if_match));
  const record = { entity: String(entity), id: String(id), ...(ifMatch === undefined ? {} : { ifMatch }) };
  switch (action) {
    case 'create':
      return { action, entity: record.entity, data };
    case 'update':
      return { action, ...record, data };
    case 'delete':
      return { action, ...record };
  }
}

/** All operations of an atomic batch are planned on what stood before it, so a record has one of them. */
function doubledRecords(operations: readonly BatchOperation[]): readonly InputError[] {
  const first = new Map<string, number>();
  return operations.flatMap((operation, index) => {
    if (operation.action === 'create') return [];
    const record = `${operation.entity} ${operation.id}`;
    const before = first.get(record);
    if (before === undefined) {
      first.set(record, index);
      return [];
    }
    const message = `operations ${before} and ${index} change the same record, which takes a batch that is not atomic`;
    return [before, index].map((one) => wrong(`/operations/${one}/id`, 'duplicate', message));
  });
}

/** The rules of access control look at what stood before the batch, so a second operation could slip past them. */
function severalOfAccess(operations: readonly BatchOperation[]): readonly InputError[] {
  const found = operations.flatMap(({ entity }, index) => (systemEntityNames.includes(entity) ? [index] : []));
  const message = 'an atomic batch may have one operation on the entities of access control';
  return found.slice(1).map((index) => wrong(`/operations/${index}/entity`, 'too_many', message));
}

function isAction(value: unknown): value is Action {
  return value === 'create' || value === 'update' || value === 'delete';
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(pointer: string, code: string, message: string): InputError {
  return { pointer, code, message };
}

function unknownMember(place: string, name: string, owner: string): InputError {
  return wrong(place + pointerTo(name), 'unknown_field', `${owner} has no member \`${name.slice(0, 100)}\``);
}
