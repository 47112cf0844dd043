import { platformActor, platformAuditEntry } from '../audit/audit-entry.ts';
import { timestamp } from '../lib/clock.ts';
import type { Change, Scope } from '../store/port.ts';
import { tryCommit } from '../store/transact.ts';
import type { Workspace } from '../tenancy/port.ts';

export interface Failed {
  readonly kind: 'event' | 'run' | 'schedule';
  /** Of the event or the block. */
  readonly name: string;
  readonly code?: string | undefined;
}

/** Raises the org's alert, once an hour for each name. `count` is of what was seen to fail since, at least. */
export type Notify = (place: Pick<Workspace, 'env' | 'orgCode'>, failed: Failed, count: number) => Promise<void>;

/** Has an alert sent where an org wants it: changes for the commit that records it in the audit log. */
export type Announce = (
  orgCode: string,
  event: { readonly type: string; readonly data: Readonly<Record<string, string | number | null>> },
) => Promise<readonly Change[]>;

const hour = 3600 * 1000;

/** Of two nodes that report the same name one is refused. The alert holds no values of records. */
export function createNotifier({
  platform,
  now,
  announce,
}: {
  /** The scope of the platform. */
  readonly platform: Scope;
  readonly now: () => number;
  readonly announce: Announce;
}): Notify {
  return async ({ env, orgCode }, { kind, name, code }, count) => {
    const at = now();
    const { action, target, named, counted, keys } = alertTemplates[kind];
    const key = { pk: 'automation-alert', sk: `${orgCode};${env};${keys}${name}` };
    const [known] = await platform.get([key]);
    if (known !== undefined) return;
    const due = { at: at + hour, queue: 'expire' } as const;
    const detail = { [counted]: count, ...(code === undefined ? {} : { code }) };
    const entry = platformAuditEntry(
      orgCode,
      { at: timestamp(at), actor: platformActor, request_id: '' },
      { action, target: { kind: target, id: name }, env, detail },
    );
    const announced = await announce(orgCode, { type: action, data: { env, [named]: name, ...detail } });
    await tryCommit(platform, [{ kind: 'put', ...key, value: timestamp(at), if: 'absent', due }, entry, ...announced]);
  };
}

const ofBlock = { action: 'automation.failed', target: 'logicblock', named: 'block', counted: 'runs' };

/**
 * By the kind of failure: the kind of thing that failed, and the names of it and of its failures in the alert. `keys`
 * precedes the name, so that an event and a block of one name each have their alert.
 */
const alertTemplates = {
  event: { action: 'automation.dead', target: 'event', named: 'event', counted: 'deliveries', keys: '' },
  run: { ...ofBlock, keys: 'run;' },
  schedule: { ...ofBlock, keys: 'schedule;' },
} as const;
