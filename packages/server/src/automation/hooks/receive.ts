import { randomBytes } from 'node:crypto';
import type { ConfigReader, ConfigSet } from '../../config/port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { Condition, Due, Store } from '../../store/port.ts';
import {
  defaultWorkspaceCode,
  type Environment,
  orgScopeName,
  workspaceScopeName,
  workspaceSuspended,
} from '../../tenancy/port.ts';
import { appUser } from '../app-user.ts';
import { checkInput } from '../blocks/check-input.ts';
import type { StoredBlocks } from '../blocks/stored-blocks.ts';
import { type ChainHeader, chainHeaderName } from '../chain-header.ts';
import type { OrgPlace } from '../config/live-events.ts';
import { liveStart } from '../config/live-starts.ts';
import type { BlockHook } from '../kinds/logicblock-starts.ts';
import { type ReadyWorkspace, readyWorkspace } from '../ready-workspace.ts';
import { liveVersion } from '../runs/pinned-blocks.ts';
import { assertMayWait } from '../runs/run-bounds.ts';
import type { SecretReader } from '../vault/secret-reader.ts';
import type { WorkMeter } from '../work-meter.ts';
import type { AutomationWork } from '../work-port.ts';
import type { HookCallLog, HookRefusal } from './hook-calls.ts';
import { type HookRow, hookRows, seenMessages } from './hook-rows.ts';
import { type HookMessage, judgeMessage, keyOf, type MessageFault, namedByBody, type Verified } from './verify.ts';

export interface ReceiveDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly blocks: StoredBlocks;
  readonly secrets: SecretReader;
  readonly meter: Pick<WorkMeter, 'check'>;
  readonly start: AutomationWork['start'];
  readonly chain: Pick<ChainHeader, 'read'>;
  readonly hasOrg: (orgCode: string) => Promise<boolean>;
  readonly calls: HookCallLog;
}

/** A message to a hook, of a sender that is not known yet. */
export interface Received extends HookMessage, OrgPlace {
  readonly block: string;
}

/** A message whose sender holds the secret of the hook. */
export interface Recognized extends Received {
  readonly verified: Verified;
  readonly config: ConfigSet;
  /** Undefined where the workspace of the hook is not there. */
  readonly workspace: ReadyWorkspace | undefined;
}

/** What a message says. */
export interface HookContent {
  readonly input: unknown;
  /** What of it the sender has signed. */
  readonly body: unknown;
}

const dummyHook: BlockHook = { signature: 'standard', secrets: ['none', 'none'] };

/**
 * Looks up as much for names that are not there, and verifies by a key in any case: neither the answer nor its time tells
 * a sender what there is.
 * @throws Problem `signature_invalid`, the same for all reasons.
 */
export async function recognize(deps: ReceiveDeps, message: Received): Promise<Recognized> {
  const { stores, configs, secrets, clock, hasOrg } = deps;
  const { env, block } = message;
  // A code that no org has names no scope at all.
  const orgCode = (await hasOrg(message.orgCode)) ? message.orgCode : '';
  const scope = stores[env].scope(orgScopeName(orgCode));
  const config = await configs[env].current(orgCode);
  const isLive = liveVersion(config, block) !== undefined;
  const live = await liveStart(scope, config, { name: block, way: 'hook' });
  const hook = live ?? dummyHook;
  const row = (await hookRows.read(scope, isLive ? block : 'none'))?.value;
  const [first, second = first] = hook.secrets;
  const opened = [await secrets.open(env, orgCode, first), await secrets.open(env, orgCode, second)];
  const keys = opened.map((secret) => (secret === undefined ? undefined : keyOf(secret.value, hook)));
  const verdict = judgeMessage(
    hook,
    keys.map((key) => key ?? randomBytes(32)),
    message,
    clock.now(),
  );
  const tenantCode = row?.tenant_code ?? defaultWorkspaceCode;
  const own = stores[env].scope(workspaceScopeName(orgCode, tenantCode));
  const workspace = await readyWorkspace({ env, orgCode, tenantCode, scope: own, orgScope: scope });
  const refusal = refusalOf({ verdict, row, opened, keys });
  if (typeof verdict === 'string' || live === undefined || refusal !== undefined) {
    // For what is not there too: neither is told by the time that it takes.
    deps.calls.noteUnsigned(live === undefined ? '' : callsKey({ env, orgCode, block }), refusal ?? 'signature_wrong');
    throw invalid();
  }
  return { ...message, orgCode, verified: verdict, config, workspace };
}

/** By which the calls of a hook are remembered. */
export function callsKey({ env, orgCode, block }: OrgPlace & { readonly block: string }): string {
  return `${env} ${orgCode} ${block}`;
}

interface Judged {
  readonly verdict: Verified | MessageFault;
  readonly row: HookRow | undefined;
  /** The secrets of the hook, and the key of each that is long enough. */
  readonly opened: readonly unknown[];
  readonly keys: readonly (Buffer | undefined)[];
}

/** Why a message begins no run, as the builders of the hook read it. */
function refusalOf({ verdict, row, opened, keys }: Judged): HookRefusal | undefined {
  if (keys.every((key) => key === undefined))
    return opened.every((secret) => secret === undefined) ? 'no_secret' : 'short_secret';
  if (typeof verdict === 'string') return verdict;
  return row?.paused === true ? 'paused' : undefined;
}

function invalid(): Problem {
  return new Problem('signature_invalid', 'there is no such hook, or the message is not signed as it has to be');
}

const day = 86_400_000;
const timedDays = 7;
const untimedDays = 30;
const beganMax = 5;

/**
 * Begins the run of a message, or finds the run that the message began before. All of the run but its input is the
 * platform's: nothing in the body says where, as whom or how deep it runs.
 * @throws Problem `not_found`, `workspace_suspended`, `validation_failed`, `unknown_field`, `block_failed`, `plan_limit_exceeded`,
 * `rate_limited`.
 */
export async function beginByMessage(
  deps: ReceiveDeps,
  { env, orgCode, block, workspace, verified, config, header }: Recognized,
  { input, body }: HookContent,
): Promise<{ readonly run: string }> {
  if (workspace === undefined) throw notFound();
  const { scope } = workspace;
  const version = liveVersion(config, block);
  const compiled = version === undefined ? undefined : await deps.blocks.at({ env, orgCode, name: block, version });
  if (compiled === undefined) throw notFound();
  const now = deps.clock.now();
  const { ids, id, isTimed } = namedByBody(verified, body);
  const due: Due = { at: now + (isTimed ? timedDays : untimedDays) * day, queue: 'expire' };
  for (let tries = 0; ; tries++) {
    const places = ids.map((one) => ({ block, id: one }));
    const rows = await seenMessages.readMany(scope, places);
    const seen = rows.find((row) => row !== undefined && isThere(row.due, now));
    if (seen !== undefined) return { run: seen.value.run };
    // Its sender is told that it was not taken, and sends it again.
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
      if (!(error instanceof Problem) || error.code !== 'conflict' || tries === beganMax) throw error;
    }
  }
}

function asRead(row: { readonly version: number } | undefined): Condition {
  return row === undefined ? 'absent' : { version: row.version };
}

function isThere(due: Due | undefined, now: number): boolean {
  return due === undefined || due.at > now;
}
