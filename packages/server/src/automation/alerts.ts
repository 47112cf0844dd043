import { platformActor, platformAuditEntry } from '../audit/audit-entry.ts';
import { timestamp } from '../lib/clock.ts';
import type { Change, Scope } from '../store/port.ts';
import { tryCommit } from '../store/transact.ts';
import type { Environment } from '../tenancy/port.ts';

/** What has failed without a caller who was told. */
export interface Failed {
  readonly kind: 'event' | 'run' | 'schedule';
  /** Of the event or the block. */
  readonly name: string;
  readonly code?: string;
}

/** Raises the org's alert, once an hour for each name. `count` is of what was seen to fail since, at least. */
export type Tell = (
  place: { readonly env: Environment; readonly orgCode: string },
  failed: Failed,
  count: number,
) => Promise<void>;

/** Has an alert sent to where an org wants it: changes for the commit that tells of it in the audit log. */
export type Announce = (
  orgCode: string,
  event: { readonly type: string; readonly data: Readonly<Record<string, string | number | null>> },
) => Promise<readonly Change[]>;

export interface TellDeps {
  /** The scope of the platform. */
  readonly platform: Scope;
  readonly now: () => number;
  readonly announce: Announce;
}

const hour = 3600 * 1000;

/** Over all nodes: of two that tell of the same name one is refused. What is told holds no values of records. */
export function createTell({ platform, now, announce }: TellDeps): Tell {
  return async ({ env, orgCode }, failed, count) => {
    const at = now();
    const { kind, name } = failed;
    const key = { pk: 'automation-alert', sk: `${orgCode};${env};${kind === 'event' ? '' : `${kind};`}${name}` };
    const [known] = await platform.get([key]);
    if (known !== undefined) return;
    const due = { at: at + hour, queue: 'expire' } as const;
    const { action, target, data, detail } = toldOf(failed, count);
    const entry = platformAuditEntry(
      orgCode,
      { at: timestamp(at), actor: platformActor, request_id: '' },
      { action, target, env, detail },
    );
    const announced = await announce(orgCode, { type: action, data: { env, ...data, ...detail } });
    await tryCommit(platform, [{ kind: 'put', ...key, value: timestamp(at), if: 'absent', due }, entry, ...announced]);
  };
}

function toldOf({ kind, name, code }: Failed, count: number) {
  if (kind === 'event')
    return {
      action: 'automation.dead',
      target: { kind, id: name },
      data: { event: name },
      detail: { deliveries: count },
    };
  return {
    action: 'automation.failed',
    target: { kind: 'logicblock', id: name },
    data: { block: name },
    detail: { of: kind, runs: count, ...(code === undefined ? {} : { code }) },
  };
}
