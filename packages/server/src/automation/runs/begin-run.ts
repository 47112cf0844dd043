import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import type { ConfigReader } from '../../config/port.ts';
import { findActiveWorkspace } from '../../iam/port.ts';
import { timestamp } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { ignoreConflict } from '../../store/transact.ts';
import type { Environment } from '../../tenancy/port.ts';
import { appUser } from '../app-user.ts';
import { checkInput } from '../blocks/check-input.ts';
import type { StoredBlocks } from '../blocks/stored-blocks.ts';
import type { AutomationWork } from '../work-port.ts';
import { closingIn, type EndingDeps, putSummary } from './close-run.ts';
import { liveVersion } from './pinned-blocks.ts';
import type { RunUser } from './run-rows.ts';

/** A run that a builder asks for. */
export interface BeginRun {
  readonly env: Environment;
  readonly orgCode: string;
  readonly tenantCode: string;
  readonly block: string;
  readonly input: unknown;
  readonly by: AuditContext;
}

export interface BeginRunDeps extends EndingDeps {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly blocks: StoredBlocks;
  readonly newId: IdSource;
  readonly start: AutomationWork['start'];
}

/**
 * Begins a run of a live block, which nothing waits for: in the name of the builder in the test environment, and of the
 * app itself in production.
 * @throws Problem `not_found`; `workspace_suspended`; `validation_failed`; `conflict` in production for a block that runs by the rights of its
 * caller; `rate_limited`; `plan_limit_exceeded`.
 */
export async function beginRun(deps: BeginRunDeps, asked: BeginRun): Promise<{ readonly run: string }> {
  const { stores, configs, blocks, clock } = deps;
  const { env, orgCode, block: name, input, by } = asked;
  const workspace = await findActiveWorkspace(stores, asked);
  const config = await configs[env].refresh(orgCode);
  const version = liveVersion(config, name);
  const block = version === undefined ? undefined : await blocks.at({ env, orgCode, name, version });
  if (block === undefined) throw notFound();
  if (env === 'prod' && block.app === undefined)
    throw new Problem(
      'conflict',
      'builders have no rights in production: there only a block with `run_as: "app"` is begun',
    );
  checkInput(block, input, '/input');
  const id = deps.newId();
  const event = { id: by.request_id, type: 'logicblock.run', timestamp: timestamp(clock.now()), depth: 1, path: '' };
  const ask = {
    ...{ workspace, config, block: name, input, given: { event }, id, user: env === 'prod' ? appUser : builder(by) },
    trigger: { kind: 'manual', id: by.request_id } as const,
    origin: { depth: 0, chain: [] },
  };
  const target = { kind: 'run', id, name };
  const told = auditEntry(by, { action: 'run.begun', target, env, tenant_code: workspace.tenantCode });
  await deps.start(ask, [told]);
  // It is there for a builder who asks for it at once. What took it up meanwhile knows more of it.
  const row = await deps.runRows(workspace.scope).read(id);
  if (row !== undefined) await putSummary(closingIn(deps, env), workspace, row.value, 'absent').catch(ignoreConflict);
  return { run: id };
}

function builder({ actor: { id } }: AuditContext): RunUser {
  return { id, kind: 'builder', act: id };
}
