import type { hooksApi } from '@freehold/contract/management/automation/hooks';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { transact } from '../../store/transact.ts';
import { defaultWorkspaceCode, orgScopeName, workspaceTable } from '../../tenancy/port.ts';
import type { OrgPlace } from '../config/live-events.ts';
import { liveStart, liveStarts } from '../config/live-starts.ts';
import type { BlockHook } from '../kinds/logicblock-starts.ts';
import { type HookRow, hookRows } from './hook-rows.ts';
import {
  beginByMessage,
  callsKey,
  type HookContent,
  type ReceiveDeps,
  type Received,
  type Recognized,
  recognize,
} from './receive.ts';
import { hmacFormOf, keyOf } from './verify.ts';

type Shown = ReplyOf<typeof hooksApi.setHook>;
type Listed = ReplyOf<typeof hooksApi.listHooks>['items'][number];
type Details = ReplyOf<typeof hooksApi.readHook>;

/** A hook, by the name of its block. */
export interface HookName extends OrgPlace {
  readonly block: string;
}

export interface Hooks {
  /** @throws Problem `signature_invalid`. */
  recognize(message: Received): Promise<Recognized>;
  /** @throws Problem `not_found`, `validation_failed`, `unknown_field`, `block_failed`, `plan_limit_exceeded`, `rate_limited`. */
  begin(message: Recognized, content: HookContent): Promise<{ readonly run: string }>;
  /** Notes what a message was answered whose sender is known. */
  noteRefused(message: Recognized, error: unknown): void;
  list(place: OrgPlace): Promise<readonly Listed[]>;
  /** @throws Problem `not_found`. */
  show(name: HookName): Promise<Details>;
  /** @throws Problem `not_found`, `validation_failed` for a workspace that is not there. */
  set(name: HookName, wanted: BodyOf<typeof hooksApi.setHook>, by: AuditContext): Promise<Shown>;
}

export function openHooks(deps: ReceiveDeps): Hooks {
  return {
    recognize: (message) => recognize(deps, message),
    begin: async (message, content) => {
      const begun = await beginByMessage(deps, message, content);
      deps.calls.noteAccepted(callsKey(message));
      return begun;
    },
    noteRefused: (message, error) => {
      const { code, message: sentence } = error instanceof Problem ? error : unknownError;
      deps.calls.noteRefused(callsKey(message), { id: message.verified.id, code, message: sentence });
    },
    list: (place) => listHooks(deps, place),
    show: (name) => showHook(deps, name),
    set: (name, wanted, by) => setHook(deps, name, { wanted, by }),
  };
}

const unknownError = { code: 'internal_error', message: 'the message could not be taken' };

function scopeOf({ stores }: ReceiveDeps, { env, orgCode }: OrgPlace): Scope {
  return stores[env].scope(orgScopeName(orgCode));
}

async function listHooks(deps: ReceiveDeps, place: OrgPlace): Promise<readonly Listed[]> {
  const scope = scopeOf(deps, place);
  const config = await deps.configs[place.env].refresh(place.orgCode);
  const items: Listed[] = [];
  for (const [block, hook] of await liveStarts(scope, config, 'hook')) {
    const row = (await hookRows.read(scope, block))?.value ?? {};
    const last = deps.calls.lastOf(callsKey({ ...place, block }));
    const item = await shown(deps, { ...place, block }, { hook, row });
    items.push({ ...item, ...(last === undefined ? {} : { last_call: last }) });
  }
  return items;
}

async function showHook(deps: ReceiveDeps, name: HookName): Promise<Details> {
  const { env, orgCode, block } = name;
  const scope = scopeOf(deps, name);
  const config = await deps.configs[env].refresh(orgCode);
  const hook = await liveStart(scope, config, { name: block, way: 'hook' });
  if (hook === undefined) throw notFound();
  const row = (await hookRows.read(scope, block))?.value ?? {};
  return { ...(await shown(deps, name, { hook, row })), ...formOf(hook), calls: deps.calls.of(callsKey(name)) };
}

/** How messages are signed, by the names of the members that the content of the block has. */
function formOf(hook: BlockHook): Omit<Details, keyof Shown | 'calls'> {
  const { signature: _, secrets, ...form } = { ...hmacFormOf(hook), ...hook };
  return { ...form, secrets: [...secrets] };
}

async function shown(
  deps: ReceiveDeps,
  { env, orgCode, block: name }: HookName,
  { hook, row }: { readonly hook: BlockHook; readonly row: HookRow },
): Promise<Shown> {
  const { tenant_code = defaultWorkspaceCode, paused = false } = row;
  const url_path = `/app/${orgCode}/hooks/${name}?env=${env}`;
  const reason = await reasonOf(deps, { env, orgCode, hook, tenant_code, paused });
  return {
    ...{ name, signature: hook.signature, url_path, tenant_code, paused, ready: reason === undefined },
    ...(reason === undefined ? {} : { reason }),
  };
}

interface HookState extends OrgPlace {
  readonly hook: BlockHook;
  readonly tenant_code: string;
  readonly paused: boolean;
}

/** Why its messages begin no run. */
async function reasonOf(
  deps: ReceiveDeps,
  { env, orgCode, hook, tenant_code, paused }: HookState,
): Promise<Shown['reason']> {
  if (paused) return 'paused';
  const workspace = await workspaceTable.read(scopeOf(deps, { env, orgCode }), tenant_code);
  if (workspace?.value.state !== 'ready') return 'no_workspace';
  if (workspace.value.suspended !== undefined) return 'workspace_suspended';
  let isSet = false;
  for (const name of hook.secrets) {
    const secret = await deps.secrets.open(env, orgCode, name);
    if (secret !== undefined && keyOf(secret.value, hook) !== undefined) return undefined;
    isSet ||= secret !== undefined;
  }
  return isSet ? 'short_secret' : 'no_secret';
}

async function setHook(
  deps: ReceiveDeps,
  name: HookName,
  { wanted, by }: { readonly wanted: BodyOf<typeof hooksApi.setHook>; readonly by: AuditContext },
): Promise<Shown> {
  const { env, orgCode, block } = name;
  const scope = scopeOf(deps, name);
  const { planned } = await transact(scope, async () => {
    const hook = await liveStart(scope, await deps.configs[env].refresh(orgCode), { name: block, way: 'hook' });
    if (hook === undefined) throw notFound();
    const before = await hookRows.read(scope, block);
    const row = changed(before?.value ?? {}, wanted);
    if (wanted.tenant_code !== undefined) await assertReady(scope, wanted.tenant_code);
    if (isSame(before?.value ?? {}, row)) return { changes: [], hook, row };
    const put = before === undefined ? hookRows.insert(block, row) : hookRows.replace(before, row);
    const { tenant_code = defaultWorkspaceCode, paused = false } = row;
    const told = auditEntry(by, {
      action: 'hook.changed',
      target: { kind: 'logicblock', id: block },
      env,
      detail: { tenant_code, paused },
    });
    return { changes: [put, told], hook, row };
  });
  return shown(deps, name, planned);
}

function changed(before: HookRow, { tenant_code = before.tenant_code, paused }: HookRowWanted): HookRow {
  const isPaused = paused ?? before.paused === true;
  return { ...(tenant_code === undefined ? {} : { tenant_code }), ...(isPaused ? { paused: true } : {}) };
}

type HookRowWanted = BodyOf<typeof hooksApi.setHook>;

function isSame(before: HookRow, after: HookRow): boolean {
  return before.tenant_code === after.tenant_code && before.paused === after.paused;
}

/** @throws Problem `validation_failed`. */
async function assertReady(scope: Scope, code: string): Promise<void> {
  if ((await workspaceTable.read(scope, code))?.value.state === 'ready') return;
  const message = 'there is no workspace of this code';
  throw invalidBody([{ pointer: '/tenant_code', code: 'unknown_reference', message }]);
}
