/**
 * What the tests of records work on: an org in a store, nodes that serve it, and a look at everything that is stored.
 * Only tests may use it.
 */
import type { Clock } from '../lib/clock.ts';
import { uuidv7Source } from '../lib/ids.ts';
import type { Item, Key, OpenedStore } from '../store/port.ts';
import { type ConfigReader, createConfigReader } from './config-reader.ts';
import { createCursors } from './cursor.ts';
import { createEntityAdmin, type EntityAdmin } from './entity-admin.ts';
import { createFences } from './fence.ts';
import { indexEntries } from './indexes/index-entries.ts';
import { type ListQuery, readListQuery } from './list-query.ts';
import { createNumbering } from './numbering.ts';
import { purgeEntity, readPurgeWork } from './purge-entity.ts';
import { type RecordData, readRecord, recordText } from './record.ts';
import { recordCounter } from './record-changes.ts';
import { createRecordRuntime, type RecordRuntime } from './record-runtime.ts';
import { createSealer } from './sealed-values.ts';
import { orgScopeName, type Workspace, workspaceScopeName } from './workspace.ts';
import { type WorkspaceRow, workspaceRowKey } from './workspace-directory.ts';
import { createWriteLoop, type RecordCall } from './write-loop.ts';

/** Stands still until it is told to move. */
export class SteppedClock implements Clock {
  #now = 1_800_000_000_000;

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

/** A process that serves the org, with caches of its own. */
export interface Node {
  readonly configs: ConfigReader;
  readonly admin: EntityAdmin;
  readonly runtime: RecordRuntime;
  /** What a request of a user begins with: the entity as this node knows it. */
  call(entityName: string, asking?: Partial<Pick<RecordCall, 'workspace' | 'actor'>>): Promise<RecordCall>;
}

const benchOrg = 'acme';
export const user = '018bcfe5-0000-7000-8000-000000000001';

export class RecordBench {
  readonly opened: OpenedStore;
  readonly clock: SteppedClock;
  readonly workspace: Workspace;
  readonly newId: () => string;

  constructor(opened: OpenedStore, clock: SteppedClock, tenantCode = 'main') {
    this.opened = opened;
    this.clock = clock;
    this.workspace = this.workspaceOf(tenantCode);
    this.newId = uuidv7Source(clock);
  }

  workspaceOf(tenantCode: string): Workspace {
    const scope = this.opened.store.scope(workspaceScopeName(benchOrg, tenantCode));
    return { env: 'test', orgCode: benchOrg, tenantId: `id of ${tenantCode}`, tenantCode, scope };
  }

  /** Lets the org know of a workspace. */
  async found({ tenantId, tenantCode }: Workspace): Promise<void> {
    const row: WorkspaceRow = { id: tenantId, code: tenantCode, name: tenantCode, state: 'ready', created_at: '' };
    const scope = this.opened.store.scope(orgScopeName(benchOrg));
    await scope.commit([{ kind: 'put', ...workspaceRowKey(tenantCode), value: JSON.stringify(row), if: 'any' }]);
  }

  node(store = this.opened.store): Node {
    const { clock, newId } = this;
    const configs = createConfigReader({ store, clock });
    const runtime = createRecordRuntime({
      clock,
      newId,
      cursors: createCursors(new Uint8Array(32)),
      writeLoop: createWriteLoop({ configs: { test: configs, prod: configs }, fences: createFences() }),
      rules: new Map(),
      numbering: createNumbering(),
      sealer: createSealer([{ kid: 'test', key: Buffer.alloc(32).toString('base64url') }]),
    });
    return {
      configs,
      admin: createEntityAdmin({ store, configs, clock, poke: () => undefined }),
      runtime,
      call: async (entityName, asking = {}) => {
        const config = await configs.current(benchOrg);
        const entity = await config.entity(entityName);
        if (entity === undefined) throw new Error(`there is no entity ${entityName}`);
        return { workspace: this.workspace, actor: { userId: user, claims: {} }, ...asking, config, entity };
      },
    };
  }

  /** Everything that a workspace holds, index items included. */
  contents(workspace = this.workspace): Promise<readonly Item[]> {
    return this.opened.maintenance.scan(workspace.scope.name, undefined, 100_000);
  }

  /** Does the work of removed entities, as a background job would. */
  async purgeRemoved(store = this.opened.store): Promise<void> {
    for (const { scope, item } of await this.opened.maintenance.due('work', this.clock.now(), 100)) {
      await purgeEntity(store, readPurgeWork(JSON.parse(item.value)), async () => undefined);
      await store.scope(scope).commit([{ kind: 'remove', pk: item.pk, sk: item.sk, if: 'any' }]);
    }
  }
}

export function listQuery(call: RecordCall, parameters: Readonly<Record<string, string>> = {}): ListQuery {
  return readListQuery(call.entity, new Map(Object.entries(parameters)));
}

/** Every record of a list, page after page. */
export async function listAll(
  { runtime }: Node,
  call: RecordCall,
  parameters: Readonly<Record<string, string>> = {},
): Promise<readonly RecordData[]> {
  const records: RecordData[] = [];
  let nexttoken: string | null = null;
  do {
    const query = listQuery(call, { ...parameters, ...(nexttoken === null ? {} : { nexttoken }) });
    const page = await runtime.list(call, query);
    records.push(...page.items.map((item) => JSON.parse(recordText(item)) as RecordData));
    nexttoken = page.nexttoken;
  } while (nexttoken !== null);
  return records;
}

/** What is stored beside an entity's records, and what there should be beside them, in one shape to compare. */
export async function derived(bench: RecordBench, { entity, workspace }: RecordCall) {
  const items = await bench.contents(workspace);
  const records = items.filter(({ pk }) => pk.startsWith('org#'));
  const entryOf = (entry: Key, target: Key | undefined) => `${entry.pk} ${entry.sk} -> ${target?.pk} ${target?.sk}`;
  const counter = recordCounter(entity.name);
  return {
    actual: {
      entries: items.filter(({ target }) => target !== undefined).map((item) => entryOf(item, item.target)),
      count: Number(items.find(({ pk, sk }) => pk === counter.pk && sk === counter.sk)?.value ?? 0),
    },
    expected: {
      entries: records
        .flatMap((item) => indexEntries(entity, readRecord(item).data).map((key) => ({ key, item })))
        .map(({ key, item }) => ({ pk: key.pk, sk: key.sk, text: entryOf(key, item) }))
        .sort((a, b) => Buffer.compare(Buffer.from(`${a.pk}\0${a.sk}`), Buffer.from(`${b.pk}\0${b.sk}`)))
        .map(({ text }) => text),
      count: records.length,
    },
  };
}
