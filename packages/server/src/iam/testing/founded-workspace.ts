/** A workspace for the tests: founded as the platform founds one, and written to through the runtime of every entity. */

import { systemEntityNames } from '@freehold/contract/system-entities';
import { createConfigReader } from '../../config/config-reader.ts';
import { systemConfig } from '../../config/config-set.ts';
import type { Clock } from '../../lib/clock.ts';
import { type IdSource, uuidv7Source } from '../../lib/ids.ts';
import { createCursors } from '../../records/listing/cursor.ts';
import { type RecordData, recordText } from '../../records/record.ts';
import { createRecordRuntime, type RecordRuntime } from '../../records/record-runtime.ts';
import { createFences } from '../../records/writing/fence.ts';
import { createNumbering } from '../../records/writing/numbering.ts';
import { createSealer } from '../../records/writing/sealed-values.ts';
import { createWriteLoop, type PolicyBound, type RecordCall } from '../../records/writing/write-loop.ts';
import { systemEntity } from '../../schema/system/system-entities.ts';
import type { Store } from '../../store/port.ts';
import { type Workspace, workspaceScopeName } from '../../tenancy/workspace.ts';
import { auditCallerOf } from '../audited-changes.ts';
import { foundingChanges, type GrantDeps, joiningChanges } from '../founding/founding.ts';
import { servicePrincipal } from '../members/member.ts';
import { createAccessEpochs } from '../policies/epochs.ts';
import { policyIdByName } from '../policies/held-policies.ts';
import { createIamRules } from '../rules/iam-rules.ts';
import type { PolicyNaming } from '../rules/removal.ts';

export interface FoundedWorkspace {
  readonly workspace: Workspace;
  readonly newId: IdSource;
  readonly founderId: string;
  /** The ids of what a workspace starts with. */
  readonly adminPolicyId: string;
  readonly adminGroupId: string;
  /** A new member who holds no policy. */
  join(): Promise<string>;
  /** A server that calls with a key of its own, and holds no policy. */
  joinServer(): Promise<string>;
  /** The changes by which a person joins with a policy. */
  joining(policyId: string): ReturnType<typeof joiningChanges>;
  /** Every record of access control, as one text: the same text, the same records. */
  everything(): Promise<string>;
  /** Writes as the person to the entities of access control, with the store or as others have it. */
  as(userId: string, on?: Store, policyBound?: PolicyBound): Writer;
}

/** Writes in the name of one person; the routes' own check of the action is not made. */
export interface Writer {
  create(entity: string, body: Readonly<Record<string, unknown>>): Promise<string>;
  update(entity: string, id: string, body: Readonly<Record<string, unknown>>): Promise<void>;
  remove(entity: string, id: string, how?: { readonly force?: boolean }): Promise<void>;
  /** Every record of an entity. */
  all(entity: string): Promise<readonly RecordData[]>;
}

export async function foundWorkspace(store: Store, clock: Clock, tenantCode = 'main'): Promise<FoundedWorkspace> {
  const deps: GrantDeps = { clock, newId: uuidv7Source(clock) };
  const founderId = deps.newId();
  const workspace: Workspace = {
    env: 'test',
    orgCode: 'acme',
    tenantId: deps.newId(),
    tenantCode,
    scope: store.scope(workspaceScopeName('acme', tenantCode)),
  };
  await workspace.scope.commit(
    await foundingChanges(deps, workspace, { founder: memberOf(founderId), auditCaller: auditCallerOf(founderId) }),
  );
  // Each person calls a process of his own: within one, writes of access control take turns and never meet.
  const as: FoundedWorkspace['as'] = (userId, on = store, policyBound = undefined) => {
    const place = { ...workspace, scope: on.scope(workspace.scope.name) };
    return writerOf(createRuntime(on, deps, policyBound), place, userId);
  };
  const joining = (policyId?: string, id = deps.newId(), member = memberOf(id)): ReturnType<typeof joiningChanges> =>
    joiningChanges(deps, workspace, {
      member,
      policyIds: policyId === undefined ? [] : [policyId],
      auditCaller: auditCallerOf(id),
    });
  const [group] = await as(founderId).all('group');
  return {
    workspace,
    newId: deps.newId,
    founderId,
    adminPolicyId: (await policyIdByName(workspace.scope, 'adminacl')) ?? '',
    adminGroupId: group?.id ?? '',
    join: async () => {
      const id = deps.newId();
      await workspace.scope.commit(await joining(undefined, id));
      return id;
    },
    joinServer: async () => {
      const id = deps.newId();
      await workspace.scope.commit(await joining(undefined, id, servicePrincipal(id, 'robot')));
      return id;
    },
    joining: (policyId) => joining(policyId),
    everything: async () => {
      const entities = systemEntityNames.map(async (entity) => [entity, await as(founderId).all(entity)]);
      return JSON.stringify(await Promise.all(entities));
    },
    as,
  };
}

/** With rules that no process shares with another. */
export function createRuntime(store: Store, deps: GrantDeps, policyBound?: PolicyBound): RecordRuntime {
  const configs = createConfigReader({ store, clock: deps.clock });
  return createRecordRuntime({
    ...deps,
    cursors: createCursors(Buffer.alloc(32)),
    writeLoop: createWriteLoop({ configs: { test: configs, prod: configs }, fences: createFences() }),
    rules: createIamRules({ epochs: createAccessEpochs(), clock: deps.clock, naming: namedNowhere }),
    numbering: createNumbering(),
    sealer: createSealer([]),
    policyBound,
    // No page ends short since the machine is busy.
    elapsed: () => 0,
  });
}

/** The workspace has no head and no invitations: these are kept by other modules. */
const namedNowhere: PolicyNaming = { defaultAccess: async () => undefined, invitations: async () => [] };

function writerOf(runtime: RecordRuntime, workspace: Workspace, userId: string): Writer {
  const call = (entity: string): RecordCall => ({
    workspace,
    entity: systemEntity(entity),
    actor: { userId, claims: {} },
    config: systemConfig,
  });
  return {
    create: async (entity, body) => (await runtime.create(call(entity), body)).data.id,
    update: async (entity, id, body) => {
      await runtime.update(call(entity), { id, body });
    },
    remove: (entity, id, how) => runtime.remove(call(entity), { id, ...how }),
    all: async (entity) => {
      const query = { filters: [], descending: false, pageSize: 200 };
      const page = await runtime.list(call(entity), {
        ...query,
        sortKeys: [],
        nexttoken: undefined,
        canonical: '',
        sentAs: new Map(),
        owner: undefined,
        fields: undefined,
        wantsTotal: false,
        wantsExplanation: false,
        all: false,
        search: undefined,
        view: undefined,
        expand: undefined,
      });
      return page.items.map((item) => JSON.parse(recordText(item)) as RecordData);
    },
  };
}

function memberOf(id: string) {
  return { id, email: `${id}@example.com`, fn: 'Ann', ln: 'Other' };
}
