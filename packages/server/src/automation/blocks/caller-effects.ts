/** In whose name a block works, and its steps on records, each as the request would be decided and answered that does it alone. */
import type { CompiledAccess } from '../../access/port.ts';
import type { ConfigSet } from '../../config/port.ts';
import { notFound } from '../../lib/problem.ts';
import {
  type Actor,
  type AuthorizedCall,
  type EachCaller,
  type EventOrigin,
  mayBeId,
  type NamedPolicyRequest,
  presentationOf,
  presentRecords,
  type RecordOperation,
  type RecordRuntime,
  type RecordTransaction,
  type StoredRecord,
  scopeToCaller,
  TooManyReads,
  writtenText,
} from '../../records/port.ts';
import { apiNamesOf, type CompiledEntity } from '../../schema/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { OutputOf } from '../runs/journal.ts';
import type { RunUser } from '../runs/run-rows.ts';
import { blockFailure, runLimits } from './block-failure.ts';
import type { EntityStep, ReadStep } from './block-run.ts';

/** In whose name a block works with records: each step is decided as the request would be that does it alone. */
export interface BlockCaller {
  readonly workspace: Workspace;
  readonly actor: Actor;
  readonly user: { readonly id: string; readonly email: string };
  /** Undefined where there is none of that name. Says nothing of what the user may do. */
  entity(name: string): Promise<CompiledEntity | undefined>;
  /** @throws Problem `access_denied`, `not_found`. */
  authorize(request: NamedPolicyRequest): Promise<AuthorizedCall>;
  /** The same user, whose steps are decided by other policies than the own ones. */
  asApp(access: CompiledAccess): BlockCaller;
}

/** The operations that reads of records need. */
type Reading = Pick<RecordRuntime, 'get' | 'query' | 'list' | 'aggregate'>;

/** The value of a step that reads: the reply that its caller would get. @throws Problem as the call by the API. */
export async function readAs(runtime: Reading, caller: BlockCaller, step: ReadStep): Promise<unknown> {
  switch (step.type) {
    case 'get': {
      const { entity: entityName, record: id } = step;
      const call = await caller.authorize({ verb: 'get', entityName, id: mayBeId(id) ? id : '-' });
      const found = mayBeId(id) ? await runtime.get(call, id) : undefined;
      if (found === undefined) throw notFound();
      const [text = 'null'] = await presentRecords(call, presentationOf(call, 'get'), [found]);
      return read(text);
    }
    case 'list':
      return listed(runtime, caller, step);
    case 'aggregate':
      return grouped(runtime, caller, step);
  }
}

type StepOf<Type extends ReadStep['type']> = Extract<ReadStep, { readonly type: Type }>;

async function listed(
  runtime: Reading,
  caller: BlockCaller,
  { entity: entityName, parameters, isWhole }: StepOf<'list'>,
): Promise<unknown> {
  const query = new URLSearchParams([...parameters]).toString();
  const call = await caller.authorize({ verb: 'list', entityName, query });
  const items: unknown[] = [];
  let characters = 0;
  let token: string | null = null;
  for (let pages = isWhole ? pagesMax : 1; pages > 0; pages -= 1) {
    const placed = token === null ? parameters : new Map([...parameters, ['nexttoken', token]]);
    const requested = await runtime.query(call, placed);
    const page = await runtime.list(call, scopeToCaller(call, requested));
    const presentation = presentationOf(call, 'list', { fields: requested.fields, isExact: true });
    const text = `[${(await presentRecords(call, presentation, page.items)).join(',')}]`;
    characters += text.length;
    items.push(...(read(text, characters) as readonly unknown[]));
    token = page.nexttoken;
    if (token === null) break;
  }
  return { items, count: items.length, has_more: token !== null };
}

/** Of a whole list. A page may hold fewer records than it has room for. */
const pagesMax = 20;

interface Groups {
  readonly items: readonly unknown[];
  readonly nexttoken: string | null;
  readonly partial?: true;
}

async function grouped(
  runtime: Reading,
  caller: BlockCaller,
  { entity: entityName, parameters, values: bound, isWhole }: StepOf<'aggregate'>,
): Promise<unknown> {
  const query = new URLSearchParams([...parameters]).toString();
  const call = await caller.authorize({ verb: 'list', route: 'aggregate', entityName, query });
  const { body = 'null' } = await runtime.aggregate(call, parameters, { bound, pages: isWhole ? pagesMax : 1 });
  const { items, nexttoken, partial = false } = read(body) as Groups;
  // Of records that were not looked at there may be other groups.
  return { items, count: items.length, has_more: nexttoken !== null || partial, partial };
}

/** @throws Problem `block_failed` for what is more than a run may keep. @param characters those of the text, and of what was kept before it. */
function read(text: string, characters = text.length): unknown {
  if (characters > runLimits.characters)
    throw blockFailure(`a step keeps at most ${runLimits.characters} characters of records`);
  return JSON.parse(text);
}

/** Finds the callers of runs that no request waits for. */
export interface RunCallers {
  /**
   * @param runId is used where a request has its id. @param block the name for the audit log where there is no user.
   * @throws Problem `access_denied` where the user may not act in the workspace any more.
   */
  as(who: RunUser, workspace: Workspace, runId: string, block?: string): Promise<BlockCaller>;
}

export interface RunContext {
  readonly caller: BlockCaller;
  readonly origin: EventOrigin;
}

declare module '../../api/route.ts' {
  interface Callers {
    /** Runs a logic block, which a policy allows by `run` and the name of the block. */
    readonly run: RunCaller;
  }
}

/** A caller in whose name a block does several things, each decided as the request would be that does it alone. */
export interface RunCaller extends EachCaller, BlockCaller {
  /** The same for work that outlives the request. */
  readonly who: RunUser;
  /** That of the decision. */
  readonly config: ConfigSet;
}

export type WriteStep = Exclude<EntityStep, ReadStep>;

/** A write of a step that its caller may do, and what the step gives by the record that it leaves. */
export interface AllowedWrite {
  readonly operation: RecordOperation;
  readonly outputOf: OutputOf;
}

/** The id of a record that is made, and the numbers that it was given. */
export type Creating = Required<Pick<Extract<RecordOperation, { readonly action: 'create' }>, 'id' | 'numbers'>>;

/** The values that a step writes to encrypted fields, whether its caller may or not. */
export async function secretsOf({ caller }: Pick<RunContext, 'caller'>, step: WriteStep): Promise<readonly unknown[]> {
  return step.type === 'delete' ? [] : secretsIn(await caller.entity(step.entity), step.values);
}

/** @param creating of a record to be made, where that is known before. @throws Problem `access_denied`, `not_found`. */
export async function allowedWrite(
  { caller, origin }: RunContext,
  step: WriteStep,
  creating?: Creating,
): Promise<AllowedWrite> {
  const { entity: entityName } = step;
  if (step.type === 'delete') {
    const call = { ...(await caller.authorize({ verb: 'delete', entityName, id: step.record })), origin };
    const output = { id: step.record };
    return { operation: { action: 'delete', call, input: output }, outputOf: async () => output };
  }
  const body = step.values;
  if (step.type === 'create') {
    const call = { ...(await caller.authorize({ verb: 'create', entityName, body })), origin };
    const operation = { action: 'create', call, body, ...creating } as const;
    return { operation, outputOf: (record) => written(call, record, operation) };
  }
  const call = { ...(await caller.authorize({ verb: 'update', entityName, id: step.record, body })), origin };
  const ifMatch = step.if_version === undefined ? {} : { ifMatch: [`"${step.if_version}"`] };
  const operation = { action: 'update', call, input: { id: step.record, body, ...ifMatch } } as const;
  return { operation, outputOf: (record) => written(call, record, { action: 'update', body }) };
}

/** As the reply to the write shows it, without the version, which is that of the commit. */
async function written(
  call: AuthorizedCall,
  record: StoredRecord | undefined,
  { action, body }: { readonly action: 'create' | 'update'; readonly body: unknown },
): Promise<unknown> {
  if (record === undefined) throw new TypeError('the write leaves no record');
  const [text = '{}'] = await presentRecords(call, presentationOf(call, action), [writtenText(call, record, body)]);
  const reply: unknown = JSON.parse(text);
  if (typeof reply !== 'object' || reply === null) throw new TypeError('a record is shown as an object');
  return Object.fromEntries(Object.entries(reply).filter(([name]) => name !== 'version'));
}

function secretsIn(entity: CompiledEntity | undefined, body: unknown): readonly unknown[] {
  if (entity === undefined || typeof body !== 'object' || body === null) return [];
  const secret = [...entity.fields.values()].filter(({ behaviour }) => behaviour.isSecret === true);
  const names = new Set(secret.flatMap(({ definition }) => apiNamesOf(definition)));
  return Object.entries(body).flatMap(([name, value]) => (names.has(name) ? [value] : []));
}

/** The same caller, whose calls are parts of the transaction. */
export function callerIn(transaction: Pick<RecordTransaction, 'at'>, caller: BlockCaller): BlockCaller {
  return {
    workspace: caller.workspace,
    actor: caller.actor,
    user: caller.user,
    entity: (name) => caller.entity(name),
    authorize: async (request) => transaction.at(await caller.authorize(request)),
    asApp: (access) => callerIn(transaction, caller.asApp(access)),
  };
}

/** @throws Problem `block_failed` in the place of TooManyReads. */
export function explainReads(error: unknown): never {
  if (!(error instanceof TooManyReads)) throw error;
  throw blockFailure(`a transaction reads at most ${error.readsMax} records and index entries`, {}, error);
}
