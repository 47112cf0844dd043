import type { ConfigSet } from '../../config/port.ts';
import { timestamp } from '../../lib/clock.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { limits, TooLarge } from '../../store/port.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import type { StoredRecord } from '../record.ts';
import { planRemovals, type RemovalRequest } from '../references.ts';
import { keepAnswer, type OnceRequest, once } from '../repeated-requests.ts';
import { refusalAsSent } from './named-body.ts';
import {
  type Creation,
  type DeleteInput,
  newCreation,
  planCreate,
  planUpdate,
  readDeletion,
  type UpdateInput,
} from './plan-writes.ts';
import { MergedChanges, type PlannedChange } from './planned-change.ts';
import type { RecordWriteDeps } from './record-write-deps.ts';
import { type BeforeSpent, callAt, placeOfRecord, type RecordCall, type WritePlan } from './write-loop.ts';

/** A write of one record, as it is asked for. */
export type RecordOperation =
  | {
      readonly action: 'create';
      readonly call: RecordCall;
      readonly body: unknown;
      /** Left out, it gets a new one. */
      readonly id?: string;
      /** Notes the numbers that it is given, and has those that it was given before. */
      readonly numbers?: Creation['numbers'];
    }
  | { readonly action: 'update'; readonly call: RecordCall; readonly input: UpdateInput }
  | { readonly action: 'delete'; readonly call: RecordCall; readonly input: DeleteInput };

export interface WriteOptions {
  /** The request that the writes are made for, where it is to count once. */
  readonly once?: OnceRequest | undefined;
  /** Further changes of the commit, by the records as they are to be; their versions are 0 until the commit. */
  readonly along?: (records: WrittenRecords['records']) => MaybePromise<readonly PlannedChange[]>;
  /** Turns the refusal of an operation into another. */
  readonly refused?: (operation: number, problem: Problem) => Problem;
}

export interface WrittenRecords {
  /** The records as they stand after the write, in the order of the operations; undefined for a removal. */
  readonly records: readonly (StoredRecord | undefined)[];
  /** Whether an earlier sending of the same request did the write. */
  readonly isReplayed: boolean;
}

/**
 * Writes records of one workspace in one commit: all of them or none. Each write is planned on what stood before all of
 * them, so no two may change the same record.
 * @throws Problem as the operation that is refused would throw alone, or `conflict` where two contradict each other.
 */
export async function writeRecords(
  parts: RecordWriteDeps,
  operations: readonly RecordOperation[],
  { once: request, along = () => [], refused = (_operation, problem) => problem }: WriteOptions = {},
): Promise<WrittenRecords> {
  const [first] = operations;
  if (first === undefined) throw new TypeError('a write has at least one operation');
  const names = new Set(operations.map((operation) => operation.call.entity.name));
  const writes = operations.map((operation, index) =>
    pendingWriteOf(parts, operation, (problem) => refused(index, problem)),
  );
  const { spentBefore = { milliseconds: 0 } } = first.call;
  const outcome = await once(first.call.workspace.scope, request, async () => {
    const { plan, committed } = await parts.writeLoop(first.call, [...names], (config) =>
      planTogether(parts, config, { writes, request, along, spentBefore }),
    );
    return answered(operations, plan.answer, committed.seq);
  });
  if ('done' in outcome) return { records: outcome.done, isReplayed: false };
  const { answer, version } = outcome.before;
  return { records: answered(operations, answer as WriteAnswer, version), isReplayed: true };
}

/**
 * The result of a write, judged as the write itself would be but for values that have to be unique: it is not done.
 * Numbers are 1, and no event takes part. Undefined for a removal.
 * @throws Problem as the write would.
 */
export async function rehearseWrite(
  parts: RecordWriteDeps,
  operation: RecordOperation,
): Promise<StoredRecord | undefined> {
  const alone = rehearsing(parts);
  const write = pendingWriteOf(alone, operation, (problem) => problem);
  const { record } = await planOne(alone, operation.call.config, write);
  return answered([operation], [record], 0)[0];
}

/** The same for writes that are not done. */
export function rehearsing<Deps extends RecordWriteDeps>(parts: Deps): Deps {
  return { ...parts, before: undefined, events: undefined, numbering: { next: async () => 1 } };
}

/**
 * Records as they are stored, without their version, which is that of the commit; `null` for a removal. A request is
 * answered from this, by the names that fields have for its caller: the write may know newer ones.
 */
type WriteAnswer = readonly (Omit<StoredRecord, 'version'> | null)[];

function answered(
  operations: readonly { readonly call: RecordCall }[],
  answer: WriteAnswer,
  version: number,
): WrittenRecords['records'] {
  return operations.map(({ call }, index) => {
    const record = answer[index] ?? null;
    return record === null ? undefined : { ...record, data: call.entity.stored.named(record.data), version };
  });
}

/** An operation, however often it has to be planned, and what is made of its refusal. */
type PendingWrite = { readonly call: RecordCall; readonly refused: (problem: Problem) => Problem } & (
  | { readonly action: 'create'; readonly creation: Creation }
  | { readonly action: 'update'; readonly input: UpdateInput }
  | { readonly action: 'delete'; readonly input: DeleteInput }
);

function pendingWriteOf(
  parts: RecordWriteDeps,
  operation: RecordOperation,
  refused: PendingWrite['refused'],
): PendingWrite {
  if (operation.action !== 'create') return { ...operation, refused };
  const { action, call, body } = operation;
  return { action, call, refused, creation: newCreation(parts, body, operation) };
}

/** The result of an operation. A removal goes on to other records, so that is planned for all of them at once. */
interface Planned {
  readonly call: RecordCall;
  readonly refused: (problem: Problem) => Problem;
  readonly changes: readonly PlannedChange[];
  readonly record: WriteAnswer[number];
  readonly removing?: RemovalRequest;
}

interface BatchWrite extends Required<Pick<WriteOptions, 'along'>> {
  readonly writes: readonly PendingWrite[];
  readonly request: OnceRequest | undefined;
  /** Of all operations and plans together. */
  readonly spentBefore: BeforeSpent;
}

interface TogetherPlan extends WritePlan {
  readonly answer: WriteAnswer;
}

async function planTogether(
  parts: RecordWriteDeps,
  config: ConfigSet,
  { writes, request, along, spentBefore }: BatchWrite,
): Promise<TogetherPlan> {
  const [first] = writes;
  const planned: Planned[] = [];
  let size = 0;
  const pause = first === undefined ? undefined : createYielder(shareKeyOf(first.call.workspace));
  const made = new Set(writes.flatMap((one) => (one.action === 'create' ? placeOfCreation(one) : [])));
  for (const one of writes) {
    if (one !== first) await pause?.();
    const next = await planOne(parts, config, { ...one, call: { ...one.call, spentBefore, made } });
    // In units, of which each takes a byte at least: no more is planned than any commit takes.
    for (const { change } of next.changes) if (change.kind === 'put') size += change.value.length;
    if (size > limits.commitBytesMax)
      throw new TooLarge(`a commit holds at most ${limits.commitBytesMax} bytes, this one more`);
    planned.push(next);
  }
  const answer = planned.map(({ record }) => record);
  const removing = planned.flatMap((one) => one.removing ?? []);
  const removals =
    removing.length === 0
      ? none
      : await planRemovals(removing, { at: timestamp(parts.clock.now()), events: parts.events });
  const merged = new MergedChanges();
  const touches = new Set<string>();
  merged.add(await along(answered(writes, answer, 0)));
  if (request !== undefined) merged.add([keepAnswer(request, answer)]);
  for (const { refused, changes, removing } of planned) {
    await pause?.();
    merged.add(changes, refused);
    const removal = removing === undefined ? undefined : removals.get(removing);
    merged.add(removal?.changes ?? [], refused);
    for (const name of removal?.touches ?? []) touches.add(name);
  }
  return { answer, changes: merged.changes, touches, isRemoval: writes.every(({ action }) => action === 'delete') };
}

function placeOfCreation({ call, creation }: Extract<PendingWrite, { readonly action: 'create' }>): string {
  return placeOfRecord(call.entity.name, creation.id);
}

const none: ReadonlyMap<RemovalRequest, WritePlan> = new Map();

async function planOne(parts: RecordWriteDeps, config: ConfigSet, command: PendingWrite): Promise<Planned> {
  let { refused } = command;
  try {
    const call = await callAt(command.call, config);
    refused = (problem) => command.refused(refusalAsSent(call.entity, bodyOf(command), problem));
    switch (command.action) {
      case 'create': {
        const { key, data, changes } = await planCreate(parts, call, command.creation);
        return { call, refused, changes, record: { key, data: call.entity.stored.written(data) } };
      }
      case 'update': {
        const { key, data, changes } = await planUpdate(parts, call, command.input);
        return { call, refused, changes, record: { key, data: call.entity.stored.written(data) } };
      }
      case 'delete': {
        const { record, ruled } = await readDeletion(parts, call, command.input);
        return { call, refused, changes: ruled, record: null, removing: { call, record, refused } };
      }
    }
  } catch (error) {
    throw error instanceof Problem ? refused(error) : error;
  }
}

function bodyOf(command: PendingWrite): unknown {
  if (command.action === 'create') return command.creation.body;
  return command.action === 'update' ? command.input.body : undefined;
}
