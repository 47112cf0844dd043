/**
 * Hooks of an environment: how builders see and set them, whose a message is, the run that it begins, and the last calls. Senders
 * that are not known may cause no write, so nothing of their calls is stored: they are counted in the memory of a node.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { hooksApi } from '@freehold/contract/features/hooks';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import type { ConfigSet } from '../../config/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { invalidBody, notFound, Problem } from '../../lib/problem.ts';
import type { Due, Scope } from '../../store/port.ts';
import { asRead, json, table } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import { defaultWorkspaceCode, workspaceSuspended, workspaceTable } from '../../tenancy/port.ts';
import {
  type OrgPlace,
  orgScope,
  type SharedDeps,
  type TenantPlace,
  type WorkMeter,
  workspaceScope,
} from '../automation-deps.ts';
import { checkInput } from '../blocks/interpret.ts';
import { liveBlock, liveStart, liveStarts, liveVersion, type StoredBlocks } from '../blocks/stored-blocks.ts';
import { type ChainHeader, chainHeaderName } from '../chain-header.ts';
import type { BlockHook } from '../kinds/logicblock-starts.ts';
import type { SecretReader } from '../outside/secret-vault.ts';
import { assertMayWait } from '../runs/run-bounds.ts';
import { appUser } from '../runs/run-rows.ts';
import type { AutomationWork } from '../runs/runs.ts';
import { type ReadyWorkspace, readyWorkspace } from '../suspensions.ts';
import {
  type HookMessage,
  hmacFormOf,
  judgeMessage,
  keyOf,
  type MessageFault,
  namedByBody,
  type VerifiedMessageIds,
} from './verify.ts';

type ShownHook = ReplyOf<typeof hooksApi.setHook>;
type ListedHook = ReplyOf<typeof hooksApi.listHooks>['items'][number];
type HookDetails = ReplyOf<typeof hooksApi.readHook>;
type Wanted = BodyOf<typeof hooksApi.setHook>;
type HookCalls = HookDetails['calls'];
type LastCall = NonNullable<ListedHook['last_call']>;
type HookRefusal = HookCalls['unsigned'][number]['reason'];

/** A hook, by the name of its block. */
interface HookName extends OrgPlace {
  readonly block: string;
}

export type Hooks = ReturnType<typeof openHooks>;

export function openHooks(deps: ReceiveDeps) {
  return {
    recognize: (message: Received) => recognize(deps, message),
    begin: async (message: Recognized, content: HookContent) => {
      const started = await startByMessage(deps, message, content);
      deps.calls.noteAccepted(callsKey(message));
      return started;
    },
    /** Notes what a message was answered whose sender is known. */
    noteRefused: (message: Recognized, error: unknown): void => {
      const { code, message: sentence } = error instanceof Problem ? error : unknownError;
      deps.calls.noteRefused(callsKey(message), { id: message.verified.id, code, message: sentence });
    },
    list: (place: OrgPlace) => listHooks(deps, place),
    show: (name: HookName) => showHook(deps, name),
    set: (name: HookName, wanted: Wanted, by: AuditContext) => setHook(deps, name, { wanted, by }),
  };
}

const unknownError = { code: 'internal_error', message: 'the message could not be taken' };

async function listHooks(deps: ReceiveDeps, place: OrgPlace): Promise<readonly ListedHook[]> {
  const scope = orgScope(deps, place);
  const config = await deps.configs[place.env].refresh(place.orgCode);
  const items: ListedHook[] = [];
  for (const [block, hook] of await liveStarts(scope, config, 'hook')) {
    const row = (await hookRows.read(scope, block))?.value ?? {};
    const last = deps.calls.lastOf(callsKey({ ...place, block }));
    items.push({ ...(await shown(deps, { ...place, block }, { hook, row })), last_call: last });
  }
  return items;
}

/** @throws Problem `not_found`. */
async function showHook(deps: ReceiveDeps, name: HookName): Promise<HookDetails> {
  const { env, orgCode, block } = name;
  const scope = orgScope(deps, name);
  const config = await deps.configs[env].refresh(orgCode);
  const hook = await liveStart(scope, config, { name: block, way: 'hook' });
  if (hook === undefined) throw notFound();
  const row = (await hookRows.read(scope, block))?.value ?? {};
  return { ...(await shown(deps, name, { hook, row })), ...formOf(hook), calls: deps.calls.of(callsKey(name)) };
}

/** The way messages are signed, by the names of the members that the content of the block has. */
function formOf(hook: BlockHook): Omit<HookDetails, keyof ShownHook | 'calls'> {
  const { signature: _, secrets, ...form } = { ...hmacFormOf(hook), ...hook };
  return { ...form, secrets: [...secrets] };
}

async function shown(
  deps: ReceiveDeps,
  { env, orgCode, block: name }: HookName,
  { hook, row }: { readonly hook: BlockHook; readonly row: HookRow },
): Promise<ShownHook> {
  const { tenant_code = defaultWorkspaceCode, paused = false } = row;
  const url_path = `/app/${orgCode}/hooks/${name}?env=${env}`;
  const reason = paused ? 'paused' : await reasonOf(deps, { env, orgCode, tenantCode: tenant_code }, hook);
  return { name, signature: hook.signature, url_path, tenant_code, paused, ready: reason === undefined, reason };
}

async function reasonOf(deps: ReceiveDeps, place: TenantPlace, hook: BlockHook): Promise<ShownHook['reason']> {
  const workspace = await workspaceTable.read(orgScope(deps, place), place.tenantCode);
  if (workspace?.value.state !== 'ready') return 'no_workspace';
  if (workspace.value.suspended !== undefined) return 'workspace_suspended';
  let isSet = false;
  for (const name of hook.secrets) {
    const secret = await deps.secrets.open(place.env, place.orgCode, name);
    if (secret !== undefined && keyOf(secret.value, hook) !== undefined) return undefined;
    isSet ||= secret !== undefined;
  }
  return isSet ? 'short_secret' : 'no_secret';
}

/** @throws Problem `not_found`, `validation_failed` for a workspace that is not there. */
async function setHook(
  deps: ReceiveDeps,
  name: HookName,
  { wanted, by }: { readonly wanted: Wanted; readonly by: AuditContext },
): Promise<ShownHook> {
  const { env, orgCode, block } = name;
  const scope = orgScope(deps, name);
  const { planned } = await transact(scope, async () => {
    const hook = await liveStart(scope, await deps.configs[env].refresh(orgCode), { name: block, way: 'hook' });
    if (hook === undefined) throw notFound();
    const before = await hookRows.read(scope, block);
    const row = changed(before?.value ?? {}, wanted);
    if (wanted.tenant_code !== undefined) await assertReady(scope, wanted.tenant_code);
    if (isSame(before?.value ?? {}, row)) return { changes: [], hook, row };
    const put = before === undefined ? hookRows.insert(block, row) : hookRows.replace(before, row);
    const { tenant_code = defaultWorkspaceCode, paused = false } = row;
    const detail = { tenant_code, paused };
    const entries = auditEntry(by, { action: 'hook.changed', target: { kind: 'logicblock', id: block }, env, detail });
    return { changes: [put, entries], hook, row };
  });
  return shown(deps, name, planned);
}

function changed(before: HookRow, { tenant_code = before.tenant_code, paused }: Wanted): HookRow {
  const isPaused = paused ?? before.paused === true;
  return { ...(tenant_code === undefined ? {} : { tenant_code }), ...(isPaused ? { paused: true } : {}) };
}

function isSame(before: HookRow, after: HookRow): boolean {
  return before.tenant_code === after.tenant_code && before.paused === after.paused;
}

/** @throws Problem `validation_failed`. */
async function assertReady(scope: Scope, code: string): Promise<void> {
  if ((await workspaceTable.read(scope, code))?.value.state === 'ready') return;
  const message = 'there is no workspace of this code';
  throw invalidBody([{ pointer: '/tenant_code', code: 'unknown_reference', message }]);
}

/** The settings of a hook in an environment of an org. They belong to no configuration, and are never promoted. */
interface HookRow {
  /** The workspace in which its runs begin; left out, `main`. */
  readonly tenant_code?: string;
  readonly paused?: true;
}

/** By the name of the block, in the scope of the org. */
const hookRows = table((block: string) => ({ pk: 'hook', sk: block }), json<HookRow>('hook', {}));

/** In the scope of the workspace: the run that a message began. */
const seenMessages = table(
  ({ block, id }: { readonly block: string; readonly id: string }) => ({
    pk: `hook-seen;${block}`,
    sk: createHash('sha256').update(id).digest('base64url'),
  }),
  json<{ readonly run: string }>('message of a hook', { run: 'string' }),
);

interface ReceiveDeps extends Pick<SharedDeps, 'stores' | 'configs' | 'clock' | 'newId'> {
  readonly blocks: StoredBlocks;
  readonly secrets: SecretReader;
  readonly meter: Pick<WorkMeter, 'check'>;
  readonly start: AutomationWork['start'];
  readonly chain: Pick<ChainHeader, 'read'>;
  readonly hasOrg: (orgCode: string) => Promise<boolean>;
  readonly calls: HookCallLog;
}

/** A message to a hook, of a sender that is not known yet. */
interface Received extends HookMessage, OrgPlace {
  readonly block: string;
}

/** A message whose sender holds the secret of the hook. */
interface Recognized extends Received {
  readonly verified: VerifiedMessageIds;
  readonly config: ConfigSet;
  /** Undefined where the workspace of the hook is not there. */
  readonly workspace: ReadyWorkspace | undefined;
}

export interface HookContent {
  readonly input: unknown;
  /** The part of it that the sender has signed. */
  readonly body: unknown;
}

const dummyHook: BlockHook = { signature: 'standard', secrets: ['none', 'none'] };

/**
 * Looks up as much for names that are not there, and verifies by a key in any case: neither the answer nor its time tells
 * a sender what there is.
 * @throws Problem `signature_invalid`, the same for all reasons.
 */
async function recognize(deps: ReceiveDeps, message: Received): Promise<Recognized> {
  const { configs, secrets, clock, hasOrg } = deps;
  const { env, block } = message;
  // A code that no org has names no scope at all.
  const orgCode = (await hasOrg(message.orgCode)) ? message.orgCode : '';
  const scope = orgScope(deps, { env, orgCode });
  const config = await configs[env].current(orgCode);
  const isLive = liveVersion(config, block) !== undefined;
  const live = await liveStart(scope, config, { name: block, way: 'hook' });
  const hook = live ?? dummyHook;
  const row = (await hookRows.read(scope, isLive ? block : 'none'))?.value;
  const [first, second = first] = hook.secrets;
  const opened = [await secrets.open(env, orgCode, first), await secrets.open(env, orgCode, second)];
  const keys = opened.map((secret) => (secret === undefined ? undefined : keyOf(secret.value, hook)));
  const used = keys.map((key) => key ?? randomBytes(32));
  const verdict = judgeMessage(hook, used, message, clock.now());
  const tenantCode = row?.tenant_code ?? defaultWorkspaceCode;
  const own = workspaceScope(deps, { env, orgCode }, tenantCode);
  const workspace = await readyWorkspace({ env, orgCode, tenantCode, scope: own, orgScope: scope });
  const refusal = refusalOf(verdict, row, { opened, keys });
  if (typeof verdict === 'string' || live === undefined || refusal !== undefined) {
    // For a missing one too: the time taken reveals neither.
    deps.calls.noteUnsigned(live === undefined ? '' : callsKey({ env, orgCode, block }), refusal ?? 'signature_wrong');
    throw new Problem('signature_invalid', 'there is no such hook, or the message is not signed as it has to be');
  }
  return { ...message, orgCode, verified: verdict, config, workspace };
}

/** By which the calls of a hook are remembered. */
function callsKey({ env, orgCode, block }: OrgPlace & { readonly block: string }): string {
  return `${env} ${orgCode} ${block}`;
}

/** Why a message begins no run, as the builders of the hook read it. */
function refusalOf(
  verdict: VerifiedMessageIds | MessageFault,
  row: HookRow | undefined,
  { opened, keys }: { readonly opened: readonly unknown[]; readonly keys: readonly (Buffer | undefined)[] },
): HookRefusal | undefined {
  if (keys.every((key) => key === undefined))
    return opened.every((secret) => secret === undefined) ? 'no_secret' : 'short_secret';
  if (typeof verdict === 'string') return verdict;
  return row?.paused === true ? 'paused' : undefined;
}

const day = 86_400_000;
const timedDays = 7;
const untimedDays = 30;
const startedMax = 5;

/**
 * Begins the run of a message, or finds the run that the message began before. All of the run but its input is the
 * platform's: nothing in the body says where, as whom or how deep it runs.
 * @throws Problem `not_found`, `workspace_suspended`, `validation_failed`, `unknown_field`, `block_failed`, `plan_limit_exceeded`,
 * `rate_limited`.
 */
async function startByMessage(
  deps: ReceiveDeps,
  { env, orgCode, block, workspace, verified, config, header }: Recognized,
  { input, body }: HookContent,
): Promise<{ readonly run: string }> {
  if (workspace === undefined) throw notFound();
  const { scope } = workspace;
  const compiled = await liveBlock(deps.blocks, { config, place: { env, orgCode } }, block);
  if (compiled === undefined) throw notFound();
  const now = deps.clock.now();
  const { ids, id, isTimed } = namedByBody(verified, body);
  const due: Due = { at: now + (isTimed ? timedDays : untimedDays) * day, queue: 'expire' };
  for (let tries = 0; ; tries++) {
    const places = ids.map((one) => ({ block, id: one }));
    const rows = await seenMessages.readMany(scope, places);
    const seen = rows.find((row) => row !== undefined && (row.due === undefined || row.due.at > now));
    if (seen !== undefined) return { run: seen.value.run };
    // The reply rejects it, and the sender sends it again.
    if (workspace.isSuspended) throw workspaceSuspended();
    checkInput(compiled, input);
    await deps.meter.check(orgCode, 'runs');
    await assertMayWait(scope);
    const run = deps.newId();
    const depth = deps.chain.read(header(chainHeaderName), now);
    const ask = {
      ...{ workspace, config, block, id: run, input, user: appUser },
      trigger: { kind: 'hook', id, name: block } as const,
      given: { event: { id, type: 'hook', timestamp: timestamp(now), depth: depth + 1, path: '' } },
      origin: { depth, chain: [] },
    };
    try {
      await deps.start(
        ask,
        // In the place of a row that is forgotten, and lies there until it is swept.
        places.map((place, index) => seenMessages.put(place, { run }, { due, if: asRead(rows[index]) })),
      );
      return { run };
    } catch (error) {
      // The same message came twice at once, or a block was published meanwhile.
      if (!(error instanceof Problem) || error.code !== 'conflict' || tries === startedMax) throw error;
    }
  }
}

/** A message that was signed, and began no run. */
interface RefusedCall {
  /** The id that the sender gives the message. */
  readonly id: string;
  readonly code: string;
  readonly message: string;
}

type HookCallLog = ReturnType<typeof createHookCallLog>;

interface Noted {
  readonly accepted: HookCalls['accepted'];
  /** The latest first. */
  readonly refused: HookCalls['refused'];
  readonly unsigned: ReadonlyMap<HookRefusal, Omit<HookCalls['unsigned'][number], 'reason'>>;
  /** Kept by itself: several calls may come in one millisecond. */
  readonly last: LastCall | undefined;
}

const hooksMax = 2000;
const refusedMax = 20;
/** An id has at most 256 characters, and a sentence is one of the platform, which may name something of a message. */
const charactersMax = 256;

const nothing: Noted = { accepted: { count: 0, last_at: null }, refused: [], unsigned: new Map(), last: undefined };

/** Hooks by their names, which hold org and environment. */
export function createHookCallLog(clock: Clock) {
  const since = timestamp(clock.now());
  const hooks = new BoundedMap<string, Noted>(hooksMax);
  const note = (hook: string, change: (before: Noted, at: string) => Noted): void => {
    const noted = change(hooks.get(hook) ?? nothing, timestamp(clock.now()));
    if (hook !== '') hooks.set(hook, noted);
  };
  return {
    /** Of a message of an unknown sender. Nothing is kept for the name `''`, which is the name of no hook. */
    noteUnsigned: (hook: string, reason: HookRefusal): void =>
      note(hook, (before, at) => {
        const { count = 0, first_at = at } = before.unsigned.get(reason) ?? {};
        const unsigned = new Map(before.unsigned).set(reason, { count: count + 1, first_at, last_at: at });
        return { ...before, unsigned, last: { at, accepted: false, code: reason } };
      }),
    noteRefused: (hook: string, { id, code, message }: RefusedCall): void => {
      const [shortId, sentence] = [id.slice(0, charactersMax), message.slice(0, charactersMax)];
      note(hook, (before, at) => ({
        ...before,
        refused: [{ at, id: shortId, code, message: sentence }, ...before.refused].slice(0, refusedMax),
        last: { at, accepted: false, code },
      }));
    },
    noteAccepted: (hook: string): void =>
      note(hook, (before, at) => ({
        ...before,
        accepted: { count: before.accepted.count + 1, last_at: at },
        last: { at, accepted: true },
      })),
    of: (hook: string): HookCalls => {
      const { accepted, refused, unsigned } = hooks.get(hook) ?? nothing;
      return { since, accepted, refused, unsigned: [...unsigned].map(([reason, counted]) => ({ reason, ...counted })) };
    },
    lastOf: (hook: string): LastCall | undefined => hooks.get(hook)?.last,
  };
}
