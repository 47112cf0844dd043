/**
 * What the tests of records work on: an org in a store, nodes that serve it, and a look at everything that is stored.
 * Only tests may use it.
 */
import type { TestContext } from 'node:test';
import type { AuditContext } from '../audit/audit-entry.ts';
import { type ConfigReader, createConfigReader } from '../config/config-reader.ts';
import { createEntityAdmin, type EntityAdmin } from '../entities/entity-admin.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidv7Source } from '../lib/ids.ts';
import { Problem } from '../lib/problem.ts';
import { withFilter } from '../records/filtering/compile-filter.ts';
import { createCursors } from '../records/listing/cursor.ts';
import { type ListQuery, readListQuery } from '../records/listing/list-query.ts';
import { dataOf, type RecordData } from '../records/record.ts';
import { createRecordRuntime, type RecordRuntime } from '../records/record-runtime.ts';
import { type MaintainDeps, maintainEntity } from '../records/reindex/maintain-entity.ts';
import { purgeEntityJob } from '../records/reindex/purge-entity.ts';
import { removalJob } from '../records/removals/run-removal.ts';
import { createLargeRemovals, type LargeRemovals } from '../records/removals/start-removal.ts';
import { Findings } from '../records/verification/look.ts';
import { type VerifyDeps, verifyStore, verifyWorkspace } from '../records/verify-store.ts';
import { createFences } from '../records/writing/fence.ts';
import { createNumbering } from '../records/writing/numbering.ts';
import type { RecordEvents } from '../records/writing/record-events.ts';
import { createSealer } from '../records/writing/sealed-values.ts';
import { createWriteLoop, type RecordCall } from '../records/writing/write-loop.ts';
import type { FieldDefinition } from '../schema/definition.ts';
import type { DueItem, Item, Key, OpenedStore } from '../store/port.ts';
import { openForTest, type StoreKind } from '../store/testing/open-test-store.ts';
import { orgScopeName, type Workspace, workspaceScopeName } from '../tenancy/workspace.ts';
import { type Suspension, type WorkspaceRow, workspaceTable } from '../tenancy/workspace-directory.ts';
import { type RenewLease, withParts } from '../work/job.ts';
import { doOnce } from '../work/testing/do-once.ts';

/** A clock that stands still until the test moves it. */
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
  readonly removals: LargeRemovals;
  /** What a request of a user begins with: the entity as this node knows it. */
  call(entityName: string, options?: Partial<Pick<RecordCall, 'workspace' | 'actor'>>): Promise<RecordCall>;
}

const benchOrg = 'acme';
export const user = '018bcfe5-0000-7000-8000-000000000001';
/** On which the tests change configuration. */
const auditContext: AuditContext = { at: '', actor: { kind: 'org_user', id: user }, request_id: '' };
export const sealer = createSealer([{ kid: 'test', key: Buffer.alloc(32).toString('base64url') }]);

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

  /** Lets the org know of a workspace, or of its suspension, or of the end of that. */
  async found({ tenantId, tenantCode }: Workspace, suspended?: Suspension): Promise<void> {
    const known: WorkspaceRow = { id: tenantId, code: tenantCode, name: tenantCode, state: 'ready', created_at: '' };
    const row = suspended === undefined ? known : { ...known, suspended };
    const scope = this.opened.store.scope(orgScopeName(benchOrg));
    await scope.commit([workspaceTable.put(tenantCode, row, { if: 'any' })]);
  }

  /**
   * All that a node does, it does on its store, whatever store the workspace that it is asked for comes from.
   * @param itemsMax the records that a page or a count of it looks at at most.
   */
  node(store = this.opened.store, events?: RecordEvents, itemsMax?: number): Node {
    const { clock, newId } = this;
    const configs = createConfigReader({ store, clock });
    const both = { test: configs, prod: configs };
    const removals = createLargeRemovals({ configs: both, clock, newId, wake: () => undefined });
    const runtime = createRecordRuntime({
      clock,
      newId,
      cursors: createCursors(new Uint8Array(32)),
      writeLoop: createWriteLoop({ configs: both, fences: createFences() }),
      removals,
      rules: new Map(),
      events,
      numbering: createNumbering(),
      sealer,
      // No page ends short since the machine is busy.
      elapsed: () => clock.now(),
      itemsMax,
    });
    return {
      configs,
      admin: createEntityAdmin({ store, configs, clock, auditContext, wake: () => undefined }),
      runtime,
      removals,
      call: async (entityName, options = {}) => {
        const config = await configs.current(benchOrg);
        const entity = await config.entity(entityName);
        if (entity === undefined) throw new Error(`there is no entity ${entityName}`);
        const workspace = options.workspace ?? this.workspace;
        const own =
          store === this.opened.store ? workspace : { ...workspace, scope: store.scope(workspace.scope.name) };
        return { actor: { userId: user, claims: {} }, ...options, workspace: own, config, entity };
      },
    };
  }

  /** Everything that a workspace holds, index items included. */
  contents(workspace = this.workspace): Promise<readonly Item[]> {
    return this.opened.maintenance.scan(workspace.scope.name, undefined, 100_000);
  }

  /** Does the work that is due, as background jobs would. */
  async workOff(store = this.opened.store): Promise<void> {
    const { clock, opened } = this;
    const configs = createConfigReader({ store, clock });
    for (const due of await opened.maintenance.due('work', clock.now(), 100)) await this.work({ store, configs }, due);
  }

  /** Does one piece of work as far as it goes, as a job that others may be at too. */
  async work(parts: Omit<MaintainDeps, 'clock'>, due: DueItem, renewLease?: RenewLease): Promise<void> {
    const { clock, opened } = this;
    const { configs } = parts;
    const space = { ...parts, maintenance: opened.maintenance, clock };
    const removing = withParts(removalJob, { configs: { test: configs, prod: configs } });
    await doOnce([removing, maintainEntity, purgeEntityJob], space, due, renewLease);
  }
}

/** An org in a store of its own, which goes with the test. */
export async function openBench(context: TestContext, kind: StoreKind = 'memory'): Promise<RecordBench> {
  const clock = new SteppedClock();
  return new RecordBench(await openForTest(context, kind, clock), clock);
}

/** A change after which an entity has the fields that are named and no others, each with the members that are named. */
export async function withoutOthers(
  admin: EntityAdmin,
  entityName: string,
  body: { readonly UpdateParams?: readonly object[] },
): Promise<object> {
  const current = (await admin.compiled(benchOrg, entityName))?.definition.UpdateParams ?? [];
  const fields = body.UpdateParams as readonly FieldDefinition[] | undefined;
  if (fields === undefined) return body;
  const UpdateParams = fields.map((field) => {
    const members = Object.keys(current.find(({ name }) => name === field.name) ?? {});
    return { ...Object.fromEntries(members.map((member) => [member, null])), ...field };
  });
  const removeFields = current.map(({ name }) => name).filter((name) => !fields.some((field) => field.name === name));
  return { ...body, UpdateParams, removeFields };
}

/** The code that work was refused with, `done` where it was not. */
export async function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );
}

/** The time of each request that `listQuery` reads. */
export const listedAt = Date.parse('2026-11-23T12:00:00Z');

export function listQuery(call: RecordCall, parameters: Readonly<Record<string, string>> = {}): ListQuery {
  return withFilter(call, readListQuery(call.entity, new Map(Object.entries(parameters))), listedAt);
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
    for (const item of page.items) records.push({ ...dataOf(call.entity, item), version: item.version });
    nexttoken = page.nexttoken;
  } while (nexttoken !== null);
  return records;
}

/** What in a workspace does not follow from its records, to be compared with nothing; and how much there is of what. */
export async function derived(bench: RecordBench, { config, workspace }: RecordCall) {
  const findings = new Findings();
  await verifyWorkspace(verifyParts(bench), { workspace, config, findings });
  const items = await bench.contents(workspace);
  return {
    actual: {
      drift: findings.drift,
      dangling: findings.dangling,
      uncleanKeys: items.flatMap((item) => [item, item.target ?? item]).filter(isUnclean),
    },
    expected: { drift: [], dangling: [], uncleanKeys: [] },
    counts: findings.counts,
  };
}

/** The faults of all that the store of a bench holds. */
export function verifyBench(bench: RecordBench): ReturnType<typeof verifyStore> {
  return verifyStore(verifyParts(bench));
}

export function verifyParts({ opened, clock }: RecordBench): VerifyDeps {
  return { opened, clock, sealer, further: new Map() };
}

/** What a value that is missing leaves in a text that it is put into. A digest may spell anything. */
function isUnclean({ pk, sk }: Key): boolean {
  const text = pk.startsWith('unique#') || pk === 'removing' ? pk : `${pk} ${sk}`;
  return /undefined|null|NaN|\[object /.test(text.replace(/%~[\w-]{43}/, ''));
}
