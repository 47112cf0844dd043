/** Runs on a store of their own, by blocks that a test writes as functions. Only tests may use it. */
import assert from 'node:assert/strict';
import { type ConfigSet, itemKey } from '../../../config/port.ts';
import type { AuthorizedCall, EventOrigin } from '../../../records/port.ts';
import type { Store } from '../../../store/port.ts';
import type { Node, RecordBench } from '../../../testing/record-bench.ts';
import type { CompiledBlock, StepRun } from '../../blocks/block-run.ts';
import type { BlockCaller } from '../../blocks/caller-effects.ts';
import { compileBlock, type StoredBlocks } from '../../blocks/stored-blocks.ts';
import type { LogicBlockContent } from '../../kinds/logicblock.ts';
import { createSuspensions } from '../../suspensions.ts';
import { WorkSpy } from '../../testing/work-spy.ts';
import type { OutsideEffectsDeps } from '../run-effects.ts';
import { callBlock, type RunsDeps, runHandler, type StartRunRequest } from '../runs.ts';
import { TransactionQueue } from '../transactions/run-transaction.ts';
import { runRows } from './opened-runs.ts';

export interface RunBench {
  readonly records: RecordBench;
  readonly work: WorkSpy;
  /** The dependencies of a node, on a store that may be another than the one under all of them. */
  deps(store?: Store): RunsDeps;
  ask(name: string, input?: unknown): Promise<Omit<StartRunRequest, 'id'>>;
  call(deps: RunsDeps, name: string, input?: unknown): ReturnType<typeof callBlock>;
  caller(deps: RunsDeps): BlockCaller;
  /** Takes up all that is due until nothing is, each time after what was waited for. */
  workOff(deps?: RunsDeps): Promise<void>;
  /** Takes up what is due now, once. */
  pass(deps?: RunsDeps): Promise<void>;
}

/** The steps of each block by their ids, in order. */
export interface FakeBlocks {
  readonly blocks: Readonly<Record<string, Readonly<Record<string, StepRun>>>>;
  /** Blocks as builders write them. */
  readonly contents?: readonly LogicBlockContent[];
  readonly transactions?: readonly string[];
  /** The systems that steps reach beside records; left out, none. */
  readonly outside?: Partial<OutsideEffectsDeps>;
}

export async function openRunBench(records: RecordBench, fake: FakeBlocks): Promise<RunBench> {
  const { clock, workspace, opened } = records;
  await records.found(workspace);
  const nodes = new Map<Store, Node>();
  const work = new WorkSpy();
  const nodeOf = (store: Store): Node => {
    const known = nodes.get(store) ?? records.node(store);
    nodes.set(store, known);
    return known;
  };
  const blocks = storedBlocks(fake);
  const callerOn = (store: Store): BlockCaller => ({
    workspace: { ...workspace, scope: store.scope(workspace.scope.name) },
    actor: { userId: 'u1', claims: {} },
    user: { id: 'u1', email: 'u1@example.com' },
    asApp: () => callerOn(store),
    entity: async (name) => (await nodeOf(store).call(name)).entity,
    authorize: async ({ entityName }): Promise<AuthorizedCall> => ({
      ...(await nodeOf(store).call(entityName)),
      access: { rows: () => undefined, rowsOfBody: () => undefined, assertAllowed: () => undefined },
    }),
  });
  const queue = new TransactionQueue(clock);
  const deps = (store: Store = opened.store): RunsDeps => {
    const stores = { test: store, prod: store };
    return {
      ...{ runtime: nodeOf(store).runtime, nodeId: 'one', runRows },
      ...{ stores, clock, newId: records.newId, blocks, suspensions: createSuspensions({ stores, clock }) },
      transactions: queue,
      scripts: { run: () => assert.fail('no script is run') },
      http: { send: () => assert.fail('nothing is called') },
      ...{ mail: undefined, meter: work.meter, ...fake.outside },
      callers: { as: async () => callerOn(store) },
      notify: work.notify,
      retentionOf: async () => ({ runs: 7 * 86_400_000, receipts: 0 }),
    };
  };
  const ask: RunBench['ask'] = async (block, input = {}) => ({
    workspace,
    config: withBlocks(fake, await nodeOf(opened.store).configs.current(workspace.orgCode)),
    ...{ block, input, trigger: { kind: 'call' as const, id: 'r1' }, origin: user },
    user: { id: 'u1', kind: 'person' as const },
  });
  const pass: RunBench['pass'] = async (by = deps()) => {
    for (const { scope, item } of await opened.maintenance.due('automation', clock.now(), 100)) {
      const { orgCode, tenantCode } = workspace;
      await runHandler(by)({ env: 'test', orgCode, tenantCode, scope: by.stores.test.scope(scope), item });
    }
  };
  return {
    ...{ records, deps, ask, pass, work },
    caller: (by) => callerOn(by.stores.test),
    call: async (by, name, input) => {
      const requested = await ask(name, input);
      const scope = by.stores.test.scope(workspace.scope.name);
      return callBlock(by, { ...requested, workspace: { ...workspace, scope } }, callerOn(by.stores.test));
    },
    workOff: async (by = deps()) => {
      for (let turn = 0; turn < 20; turn++) {
        clock.advance(leaseOver);
        await pass(by);
      }
    },
  };
}

const user: EventOrigin = { depth: 0, chain: [] };
const leaseOver = 61_000;

function storedBlocks({ blocks, contents = [], transactions = [] }: FakeBlocks): StoredBlocks {
  const compiled = (name: string): CompiledBlock => ({
    name,
    input: {},
    steps: Object.entries(blocks[name] ?? {}).map(([id, run]) => ({ id, type: 'fake', run })),
    returns: undefined,
    app: undefined,
    isTransaction: transactions.includes(name),
    calls: [],
  });
  return {
    at: async ({ name }) => {
      const content = contents.find((one) => one.name === name);
      const surroundings = { entities: () => undefined, pause: () => undefined };
      return content === undefined ? compiled(name) : compileBlock(content, surroundings);
    },
  };
}

function withBlocks({ blocks, contents = [] }: FakeBlocks, config: ConfigSet): ConfigSet {
  const names = [...Object.keys(blocks), ...contents.map(({ name }) => name)];
  return { ...config, items: new Map(names.map((name) => [itemKey({ kind: 'logicblock', name }), 1])) };
}
