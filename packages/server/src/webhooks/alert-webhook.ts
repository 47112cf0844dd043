/**
 * The module's port: messages to an org are signed, sent after the commit of their event, and repeated until they
 * arrive.
 */
import { createHmac } from 'node:crypto';
import type { alertWebhookApi } from '@freehold/contract/management/alert-webhook';
import type { ReplyOf } from '@freehold/contract/route';
import { type AuditContext, platformAuditEntry } from '../audit/audit-entry.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import { AddressRefused, type CallRules, callableUrl, createGuardedRequest } from '../lib/network/guarded-request.ts';
import { secretText } from '../lib/network/signature.ts';
import { invalidBody, notFound } from '../lib/problem.ts';
import type { Change, Scope } from '../store/port.ts';
import { removeAsRead } from '../store/table.ts';
import { transact } from '../store/transact.ts';
import { type Job, plainJob } from '../work/job.ts';
import {
  type DeliverDeps,
  type DeliveryWork,
  deliver,
  deliveries,
  deliveryJob,
  type StoredWebhook,
  testType,
  webhooks,
  workItem,
} from './alert-delivery.ts';

/** The address that the alerts of an org are sent to. */
export interface AlertWebhook {
  /** @throws Problem `not_found` where there is none. */
  show(orgCode: string): Promise<ShownWebhook>;
  /**
   * Puts one in place of another. Its secret is shown this once. @throws Problem `validation_failed`, `unknown_field`.
   */
  set(command: WebhookCommand, body: { readonly url: string }): Promise<CreatedWebhook>;
  /** Waiting alerts are sent no more. @throws Problem `not_found`. */
  remove(command: WebhookCommand): Promise<void>;
  /** Has a message sent that says nothing. @throws Problem `not_found`. */
  test(orgCode: string): Promise<{ readonly id: string }>;
  /** The work that sends an alert, for the commit of the event; nothing where the org wants none. */
  announce(orgCode: string, event: AlertEvent): Promise<readonly Change[]>;
  /** Sends what one of the above has left. */
  readonly job: Job;
  /** Cuts off what is being sent: it is sent at the next start. */
  close(): void;
}

export interface WebhookCommand {
  readonly orgCode: string;
  readonly auditContext: AuditContext;
  /** The address of the management gateway. */
  readonly managementUrl: string;
}

export interface AlertEvent {
  /** Dotted, as `plan.limit_near`. */
  readonly type: string;
  /** Names and figures: it leaves the platform. */
  readonly data: Readonly<Record<string, string | number | null>>;
}

type WebhookConfig = Pick<StoredWebhook, 'url' | 'created_at' | 'created_by'>;

export type ShownWebhook = ReplyOf<typeof alertWebhookApi.showAlertWebhook>;
export type CreatedWebhook = ReplyOf<typeof alertWebhookApi.setAlertWebhook>;

export interface AlertWebhookDeps {
  readonly platform: Scope;
  readonly clock: Clock;
  readonly newId: IdSource;
  /** The source of the secrets, so that none lies in the store. */
  readonly rootKey: Buffer;
  readonly rules: CallRules;
  /** The page for upgrades. @param base the address that the management gateway had when the webhook was set. */
  readonly upgradeUrl: (base: string) => string;
  /** Has work done that is new. */
  readonly wake: () => void;
}

export function createAlertWebhook(deps: AlertWebhookDeps): AlertWebhook {
  const { platform, clock } = deps;
  const closing = new AbortController();
  const now = (): number => clock.now();
  const delivering: DeliverDeps = {
    platform,
    now,
    request: createGuardedRequest(deps.rules),
    closing: closing.signal,
    keyOf: (webhook) => keyOf(deps, webhook),
  };
  return {
    show: (orgCode) => showWebhook(platform, orgCode),
    set: (command, body) => setWebhook(deps, command, body),
    remove: (command) => removeWebhook(platform, command),
    test: async (orgCode) => {
      if ((await webhooks.read(platform, orgCode)) === undefined) throw notFound();
      const work = workOf(deps, orgCode, { type: testType, data: { org: orgCode } });
      await platform.commit([workItem(work, clock.now(), 'any')]);
      deps.wake();
      return { id: work.id };
    },
    announce: async (orgCode, { type, data }) => {
      const webhook = await webhooks.read(platform, orgCode);
      if (webhook === undefined) return [];
      const upgrade_url = deps.upgradeUrl(webhook.value.management_url);
      const work = workOf(deps, orgCode, { type, data: { org: orgCode, ...data, upgrade_url } });
      return [workItem(work, clock.now(), 'absent')];
    },
    job: {
      ...plainJob(deliveryJob, (_space, work: DeliveryWork, renewLease) => deliver(delivering, work, renewLease)),
      isUrgent: true,
    },
    close: () => closing.abort(),
  };
}

function workOf({ clock, newId }: AlertWebhookDeps, org: string, { type, data }: AlertEvent): DeliveryWork {
  return { job: deliveryJob, org, id: newId(), type, timestamp: timestamp(clock.now()), data, attempts: 0 };
}

function keyOf({ rootKey }: AlertWebhookDeps, { id }: StoredWebhook): Buffer {
  return createHmac('sha256', rootKey).update(id).digest();
}

async function showWebhook(platform: Scope, orgCode: string): Promise<ShownWebhook> {
  const [item, last] = await platform.get([webhooks.key(orgCode), deliveries.key(orgCode)]);
  if (item === undefined) throw notFound();
  const { url, created_at, created_by } = webhooks.row(platform, item).value;
  return { url, created_at, created_by, last_delivery: deliveries.row(platform, last)?.value ?? null };
}

/** Another address has another secret: a holder of one cannot sign for the other. */
async function setWebhook(
  deps: AlertWebhookDeps,
  command: WebhookCommand,
  body: { readonly url: string },
): Promise<CreatedWebhook> {
  const { url } = readWebhook(body, deps.rules);
  const { orgCode, auditContext, managementUrl: management_url } = command;
  const config: WebhookConfig = { url, created_at: auditContext.at, created_by: auditContext.actor.id };
  const webhook: StoredWebhook = { id: deps.newId(), ...config, management_url };
  await deps.platform.commit([
    webhooks.put(orgCode, webhook, { if: 'any' }),
    deliveries.remove(orgCode, 'any'),
    platformAuditEntry(orgCode, auditContext, { action: 'alert_webhook.set', target: targetOf(webhook) }),
  ]);
  return { ...config, secret: secretText(keyOf(deps, webhook)) };
}

async function removeWebhook(platform: Scope, { orgCode, auditContext }: WebhookCommand): Promise<void> {
  await transact(platform, async () => {
    const row = await webhooks.read(platform, orgCode);
    if (row === undefined) throw notFound();
    const target = targetOf(row.value);
    return {
      changes: [
        removeAsRead(row),
        deliveries.remove(orgCode, 'any'),
        platformAuditEntry(orgCode, auditContext, { action: 'alert_webhook.removed', target }),
      ],
    };
  });
}

function targetOf({ id }: StoredWebhook) {
  return { kind: 'webhook', id };
}

/** @throws Problem `validation_failed` where the platform may not call the address. */
function readWebhook({ url }: { readonly url: string }, rules: CallRules): { readonly url: string } {
  const { username, password, hash } = checked(url, rules);
  if (username + password + hash !== '' || url.endsWith('#'))
    throw wrong('/url', 'invalid_value', '`url` must not contain a user name, a password or a fragment');
  return { url };
}

function checked(url: string, rules: CallRules): URL {
  try {
    return callableUrl(url, rules);
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    const form = rules.isDevelopment ? 'an https or http address' : 'an https address';
    throw wrong('/url', 'invalid_value', `\`url\` must be ${form} of the public Internet: ${error.message}`);
  }
}

function wrong(pointer: string, code: string, message: string) {
  return invalidBody([{ pointer, code, message }]);
}
