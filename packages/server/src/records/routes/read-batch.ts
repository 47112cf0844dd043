import type { batchApi } from '@freehold/contract/app/batch';
import type { InputError } from '@freehold/contract/problem';
import type { BodyOf } from '@freehold/contract/route';
import { forcedEntityNames } from '@freehold/contract/system-entities';
import type { IfMatch } from '../../api/headers/preconditions.ts';
import { parseIfMatch } from '../../api/headers/preconditions.ts';
import { invalidBody } from '../../lib/problem.ts';
import { systemEntityNames } from '../../schema/port.ts';

export interface Batch {
  /** All operations or none; else each for itself, one after the other. */
  readonly isAtomic: boolean;
  /** The one place that splits a request into its operations: calls are counted by these. */
  readonly operations: readonly BatchOperation[];
}

export type BatchOperation =
  | { readonly action: 'create'; readonly entity: string; readonly data: unknown; readonly ref?: string }
  | {
      readonly action: 'update';
      readonly entity: string;
      readonly id: string;
      readonly data: unknown;
      readonly ifMatch?: IfMatch;
      readonly ref?: string;
    }
  | {
      readonly action: 'delete';
      readonly entity: string;
      readonly id: string;
      readonly ifMatch?: IfMatch;
      readonly force?: boolean;
    };

type SentBatch = BodyOf<typeof batchApi.batch>;
type SentOperation = SentBatch['operations'][number];

/** @throws Problem `validation_failed`, with every operation that cannot be done in such a batch. */
export function readBatch({ mode, operations: sent }: SentBatch): Batch {
  const isAtomic = mode === 'atomic';
  const operations = sent.map(operationOf);
  const errors = [...sent.flatMap(tagMistakes), ...forceMistakes(operations), ...doubledNames(operations)];
  if (errors.length === 0 && isAtomic) errors.push(...doubledRecords(operations), ...severalOfAccess(operations));
  if (errors.length > 0) throw invalidBody(errors);
  return { isAtomic, operations };
}

function operationOf(sent: SentOperation): BatchOperation {
  const { action, entity } = sent;
  const named = action === 'delete' || sent.ref === undefined ? {} : { ref: sent.ref };
  if (action === 'create') return { action, entity, data: sent.data, ...named };
  const { id, if_match: header } = sent;
  const ifMatch = header === undefined ? undefined : parseIfMatch(header);
  const record = { entity, id, ...(ifMatch === undefined ? {} : { ifMatch }) };
  if (action === 'update') return { action, ...record, data: sent.data, ...named };
  return { action, ...record, ...(sent.force === undefined ? {} : { force: sent.force }) };
}

function tagMistakes(sent: SentOperation, index: number): readonly InputError[] {
  const header = sent.action === 'create' ? undefined : sent.if_match;
  if (header === undefined || parseIfMatch(header) !== undefined) return [];
  const message = '`if_match` must be `*` or a list of entity tags, each in its quotes';
  return [wrong(`/operations/${index}/if_match`, 'wrong_type', message)];
}

/** It means something to two entities alone. */
function forceMistakes(operations: readonly BatchOperation[]): readonly InputError[] {
  return operations.flatMap((operation, index) => {
    if (!('force' in operation) || forcedEntityNames.includes(operation.entity)) return [];
    const message = `\`force\` is taken for ${forcedEntityNames.map((name) => `\`${name}\``).join(' and ')} alone`;
    return [wrong(`/operations/${index}/force`, 'not_allowed', message)];
  });
}

/** A name leads to one record. */
function doubledNames(operations: readonly BatchOperation[]): readonly InputError[] {
  const names = operations.map((operation) => ('ref' in operation ? operation.ref : undefined));
  return names.flatMap((name, index) => {
    if (name === undefined || names.indexOf(name) === index) return [];
    return [wrong(`/operations/${index}/ref`, 'duplicate', `an operation before it has the \`ref\` \`${name}\`, too`)];
  });
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
    const message = `operations ${before} and ${index} change the same record: send them in an \`independent\` batch`;
    return [before, index].map((one) => wrong(`/operations/${one}/id`, 'duplicate', message));
  });
}

/** The rules of access control look at what stood before the batch, so a second operation could slip past them. */
function severalOfAccess(operations: readonly BatchOperation[]): readonly InputError[] {
  const found = operations.flatMap(({ entity }, index) => (systemEntityNames.includes(entity) ? [index] : []));
  const message = 'an atomic batch may have at most one operation on the entities of access control';
  return found.slice(1).map((index) => wrong(`/operations/${index}/entity`, 'too_many', message));
}

function wrong(pointer: string, code: string, message: string): InputError {
  return { pointer, code, message };
}
