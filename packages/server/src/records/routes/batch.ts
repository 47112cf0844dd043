import { batchApi } from '@freehold/contract/app/batch';
import type { InputError } from '@freehold/contract/problem';
import type { BodyOf } from '@freehold/contract/route';
import { forcedEntityNames, systemEntityNames } from '@freehold/contract/system-entities';
import { type IfMatch, parseIfMatch } from '../../api/headers/preconditions.ts';
import type { Reply } from '../../api/reply.ts';
import type { AnyRoute } from '../../api/route.ts';
import { type Received, serveReply } from '../../api/serve.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { errorsMax, invalidBody, Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { isObject } from '../../lib/unknown-names.ts';
import { type CompiledEntity, fieldName, isLookupList, lookupOf } from '../../schema/port.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import { type AuthorizedCall, authorizeBody, type EachCaller } from '../caller-access.ts';
import { presentationOf, presentRecords, shownTag, writtenText } from '../present-records.ts';
import { entityTag, type StoredRecord } from '../record.ts';
import type { RecordRouteDeps, RecordRuntime } from '../record-runtime.ts';
import { claimKey, keyHolderOf, type OnceRequest, partOf, readOnce, replayedHeaders } from '../repeated-requests.ts';
import type { RecordOperation } from '../writing/write-records.ts';

export function batchRoutes(services: RecordRouteDeps): readonly AnyRoute[] {
  return [serveReply(batchApi.batch, (request, caller) => batch(services, request, caller))];
}

async function batch(
  services: RecordRouteDeps,
  request: Received<typeof batchApi.batch>,
  caller: EachCaller,
): Promise<Reply> {
  const { isAtomic, operations } = readBatch(request.body);
  const once = readOnce(services.idempotency, request, keyHolderOf(caller.actor.userId, caller.actor.claims.act));
  const run = isAtomic ? runTogether : runEach;
  const { results, isReplayed } = await run(services.runtime, caller, { operations, once });
  const headers = isReplayed ? replayedHeaders : {};
  return { status: 200, body: `{"results":[${results.join(',')}]}`, headers };
}

interface BatchCommand {
  readonly operations: readonly BatchOperation[];
  readonly once: OnceRequest | undefined;
}

interface Results {
  readonly results: readonly string[];
  readonly isReplayed: boolean;
}

/** @throws Problem of the operation that is refused. */
async function runTogether(
  runtime: RecordRuntime,
  caller: EachCaller,
  { operations, once }: BatchCommand,
): Promise<Results> {
  const refused = (index: number, problem: Problem) => atOperation(index, operations[index]?.action, problem);
  const pause = createYielder(shareKeyOf(caller.workspace));
  const ids = operations.map((operation) => {
    if (operation.action === 'create') return runtime.newId();
    return operation.action === 'update' ? operation.id : undefined;
  });
  const referable: Referable = { names: namesOf(operations), idOf: (place) => ids[place] };
  const allowed: Allowed[] = [];
  for (const [place, operation] of operations.entries()) {
    await pause();
    const decided = await decide(caller, operation, place, referable);
    if ('error' in decided) throw decided.error instanceof Problem ? refused(place, decided.error) : decided.error;
    allowed.push(decided.action === 'create' ? { ...decided, id: ids[place] ?? runtime.newId() } : decided);
  }
  const { records, isReplayed } = await runtime.write(allowed, { once, refused });
  const results: string[] = [];
  const room = { left: recordsCharactersMax };
  for (const [index, operation] of allowed.entries()) {
    await pause();
    results.push(await resultOf(operation, records[index], room));
  }
  return { results, isReplayed };
}

/** A refused operation is a result like any other. Of a request that is repeated, only what is missing is done. */
async function runEach(
  runtime: RecordRuntime,
  caller: EachCaller,
  { operations, once }: BatchCommand,
): Promise<Results> {
  const pause = createYielder(shareKeyOf(caller.workspace));
  const ids: (string | undefined)[] = [];
  const referable: Referable = { names: namesOf(operations), idOf: (place) => ids[place] };
  const decideAt = (operation: BatchOperation, place: number) => decide(caller, operation, place, referable);
  // An operation that refers to others is decided by their ids: when they are done.
  const decided: (DecidedOperation | 'later')[] = [];
  for (const [place, operation] of operations.entries()) {
    await pause();
    decided.push(mayRefer(operation) ? 'later' : await decideAt(operation, place));
  }
  const isAnyAllowed = decided.some((one) => one !== 'later' && !('error' in one));
  const claimed = once && isAnyAllowed ? await claimKey(caller.workspace.scope, once) : undefined;
  const results: string[] = [];
  const room = { left: recordsCharactersMax };
  for (const [index, sent] of operations.entries()) {
    await pause();
    try {
      const known = decided[index] ?? 'later';
      const operation = known === 'later' ? await decideAt(sent, index) : known;
      if ('error' in operation) throw operation.error;
      const part = claimed === undefined ? undefined : partOf(claimed.request, index);
      const { records } = await runtime.write([operation], { once: part });
      ids[index] = records[0]?.data.id;
      results.push(await resultOf(operation, records[0], room));
    } catch (error) {
      const shown = error instanceof Problem ? atOperation(index, sent.action, error) : error;
      const { status, body = '{}' } = caller.refusal(shown);
      results.push(`{"status":${status},"error":${body}}`);
    }
  }
  return { results, isReplayed: claimed?.isRepeated === true };
}

type Allowed = RecordOperation & { readonly call: AuthorizedCall };
type DecidedOperation = Allowed | { readonly error: unknown };

/** Each operation is decided as the request would be that does it alone, with the ids of what it refers to. */
async function decide(
  caller: EachCaller,
  operation: BatchOperation,
  place: number,
  referable: Referable,
): Promise<DecidedOperation> {
  const { action, entity: entityName } = operation;
  try {
    if (action === 'delete') {
      const { id, ifMatch, force } = operation;
      const input = { id, force, ...(ifMatch === undefined ? {} : { ifMatch }) };
      return { action, call: await caller.authorize({ verb: action, entityName, id }), input };
    }
    const { data } = operation;
    const command = { verb: action, entityName, ...(action === 'update' ? { id: operation.id } : {}) };
    const isOpen = mayRefer(operation);
    const open = await caller.authorize(isOpen ? command : { ...command, body: data });
    const body = isOpen ? withIds({ entity: open.entity, data }, place, referable) : data;
    const call = isOpen ? authorizeBody(open, body) : open;
    if (action === 'create') return { action, call, body };
    const { id, ifMatch } = operation;
    return { action, call, input: { id, body, ...(ifMatch === undefined ? {} : { ifMatch }) } };
  } catch (error) {
    return { error };
  }
}

/** Of the records that one reply shows. Records that do not fit are shown by id and tag only. */
const recordsCharactersMax = 8 * 1024 * 1024;

interface Room {
  left: number;
}

async function resultOf(operation: Allowed, record: StoredRecord | undefined, room: Room): Promise<string> {
  if (operation.action === 'delete') return JSON.stringify({ status: 204, id: operation.input.id });
  if (record === undefined) throw new TypeError('the write leaves no record');
  const { action, call } = operation;
  const body = action === 'create' ? operation.body : operation.input.body;
  const status = action === 'create' ? 201 : 200;
  const { id } = record.data;
  // Good for a write, and of no reply that was ever shown.
  const alone = JSON.stringify({ status, id, etag: entityTag(record.version, 'none') });
  if (room.left <= 0) return alone;
  const presentation = presentationOf(call, action);
  const written = writtenText(call, record, body);
  const [text = ''] = await presentRecords(call, presentation, [written]);
  room.left -= text.length;
  if (room.left < 0) return alone;
  const head = JSON.stringify({ status, id, etag: shownTag(presentation, written, text) });
  return `${head.slice(0, -1)},"record":${text}}`;
}

/** The problem of an operation as one of the batch: its pointers lead to what is wrong from the body of the request. */
function atOperation(index: number, action: BatchOperation['action'] | undefined, problem: Problem): Problem {
  const { errors, ...details } = problem.details;
  const place = `/operations/${index}`;
  const { code, message } = problem;
  const placed = errors?.map((error) => ({ ...error, pointer: `${place}/data${error.pointer}` })) ?? [
    { pointer: `${place}/${memberAtFault(code, action)}`, code, message },
  ];
  return new Problem(code, message, { ...details, errors: placed }, problem.cause);
}

function memberAtFault(code: Problem['code'], action: BatchOperation['action'] | undefined): string {
  if (code === 'access_denied') return 'action';
  if (code === 'version_mismatch') return 'if_match';
  if (action === 'create') return code === 'not_found' ? 'entity' : 'data';
  return 'id';
}

// In a batch lookups may name the records of operations before, whose ids their sender does not know yet.

/** The operation that `$ref` names, by its index or its `ref`. */
type BatchReference = number | string;

/** The operations that others of a batch may refer to. */
interface Referable {
  /** The id of the record of an operation; undefined where it has none. */
  idOf(operation: number): string | undefined;
  readonly names: ReadonlyMap<string, number>;
}

function namesOf(operations: readonly BatchOperation[]): Referable['names'] {
  const named = operations.map((operation, place) => ['ref' in operation ? operation.ref : undefined, place] as const);
  return new Map(named.flatMap(([name, place]) => (name === undefined ? [] : [[name, place]])));
}

/** Whether the operation may refer to others: what of that is a lookup is known by its entity alone. */
function mayRefer(operation: BatchOperation): boolean {
  if (operation.action === 'delete') return false;
  const { data } = operation;
  return (
    isObject(data) &&
    Object.values(data)
      .flat()
      .some((value) => referenceIn(value) !== undefined)
  );
}

/**
 * The data of an operation with ids in the place of references.
 * @param place that of the operation. @throws Problem `validation_failed` with `unknown_reference`.
 */
function withIds(
  { entity, data }: { readonly entity: CompiledEntity; readonly data: unknown },
  place: number,
  { idOf, names }: Referable,
): unknown {
  if (!isObject(data)) return data;
  const errors: InputError[] = [];
  const resolved = (name: string, value: unknown, pointer: string): unknown => {
    const reference = referenceIn(value);
    if (reference === undefined) return value;
    const named = typeof reference === 'number' ? reference : names.get(reference);
    const id = named !== undefined && named < place ? idOf(named) : undefined;
    if (id === undefined && errors.length <= errorsMax) errors.push(unknownReference(name, reference, pointer));
    return id;
  };
  const members = Object.entries(data).map(([name, value]) => {
    const field = entity.fields.get(fieldName(entity, name));
    if (field === undefined || lookupOf(field.definition) === undefined) return [name, value];
    const pointer = pointerTo(name);
    if (!isLookupList(field.definition)) return [name, resolved(name, value, pointer)];
    if (!Array.isArray(value)) return [name, value];
    return [name, value.map((element, index) => resolved(name, element, `${pointer}/${index}`))];
  });
  if (errors.length > 0) throw invalidBody(errors);
  return Object.fromEntries(members);
}

function referenceIn(value: unknown): BatchReference | undefined {
  if (!isObject(value)) return undefined;
  const { $ref: reference, ...others } = value;
  if (Object.keys(others).length > 0) return undefined;
  if (typeof reference === 'string') return reference;
  return typeof reference === 'number' && Number.isSafeInteger(reference) && reference >= 0 ? reference : undefined;
}

function unknownReference(name: string, reference: BatchReference, pointer: string): InputError {
  const named = String(reference).slice(0, 64);
  const message = `field \`${name}\`: \`$ref\` \`${named}\` names no operation before this one that has made or changed a record`;
  return { pointer, code: 'unknown_reference', message };
}

interface Batch {
  /** All operations or none; else each for itself, one after the other. */
  readonly isAtomic: boolean;
  /** The one place that splits a request into its operations: calls are counted by these. */
  readonly operations: readonly BatchOperation[];
}

type BatchOperation =
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
function readBatch({ mode, operations: sent }: SentBatch): Batch {
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
