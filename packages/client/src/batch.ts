/** Up to 100 writes in one call. */
import type { ProblemBody } from '@freehold/contract/problem';
import type { Caller, CallOptions } from './caller.ts';
import type { ChangeOptions } from './entity.ts';
import { type FreeholdError, problemError } from './errors.ts';
import { objectOf } from './reply.ts';
import type { AnyRecord, CreateOf, EntityName, UpdateOf } from './schema-types.ts';
import { ifMatchText } from './tags.ts';

/** `atomic`: all or nothing. `independent`: each for itself, one after the other. */
export type BatchMode = 'atomic' | 'independent';

export type BatchResult =
  | { readonly status: 200 | 201; readonly id: string; readonly etag: string; readonly record?: AnyRecord }
  | { readonly status: 204; readonly id: string }
  /** Of an independent batch: why this operation was refused. */
  | { readonly status: 'refused'; readonly error: FreeholdError };

export interface SendOptions extends CallOptions {
  readonly idempotencyKey?: string | undefined;
}

/** In the place of a lookup's id: the record that an operation before it makes or changes, by its place or its `ref`. */
export interface Reference {
  readonly $ref: number | string;
}

/** Names the record for references of later operations. */
export interface RefOptions {
  readonly ref?: string | undefined;
}

/** Fields whose values may be ids take references, too. */
export type Referring<T> = { readonly [F in keyof T]: OrReference<T[F]> };

type OrReference<V> = V extends string
  ? V | (string extends V ? Reference : never)
  : V extends readonly (infer Element)[]
    ? readonly OrReference<Element>[]
    : V;

export interface Batch<S> {
  create<E extends EntityName<S>>(entity: E, data: Referring<CreateOf<S, E>>, options?: RefOptions): this;
  update<E extends EntityName<S>>(
    entity: E,
    id: string,
    changes: Referring<UpdateOf<S, E>>,
    options?: ChangeOptions & RefOptions,
  ): this;
  delete(entity: EntityName<S>, id: string, options?: ChangeOptions): this;
  /**
   * @returns a result for each operation, in their order.
   * @throws FreeholdError of the operation that an atomic batch was refused for, with its index in `operation`.
   */
  send(options?: SendOptions): Promise<readonly BatchResult[]>;
}

const operationsMax = 100;

export function batch<S>(caller: Caller, mode: BatchMode): Batch<S> {
  const operations: object[] = [];
  const add = (operation: object): Batch<S> => {
    if (operations.length === operationsMax) throw new RangeError(`a batch takes at most ${operationsMax} operations`);
    operations.push(operation);
    return self;
  };
  const self: Batch<S> = {
    create: (entity, data, { ref } = {}) => add({ action: 'create', entity, data, ref }),
    update: (entity, id, data, { ref, ...options } = {}) =>
      add({ action: 'update', entity, id, data, ref, ...conditionOf(options) }),
    delete: (entity, id, options) => add({ action: 'delete', entity, id, ...conditionOf(options) }),
    send: async (options) => {
      const answer = await caller.call('POST', '/batch', { ...options, body: { mode, operations } });
      const has = ({ results }: { readonly results?: unknown }) => Array.isArray(results);
      return objectOf<{ readonly results: readonly Sent[] }>(answer, { has, isChange: true }).results.map(resultOf);
    },
  };
  return self;
}

type Sent =
  | Exclude<BatchResult, { readonly status: 'refused' }>
  | { readonly status: number; readonly error: ProblemBody };

function resultOf(result: Sent): BatchResult {
  return 'error' in result ? { status: 'refused', error: problemError(result.error) } : result;
}

function conditionOf({ ifMatch }: ChangeOptions = {}): { readonly if_match?: string } {
  return ifMatch === undefined ? {} : { if_match: ifMatchText(ifMatch) };
}
