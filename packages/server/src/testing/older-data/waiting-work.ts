/** Work of every kind that waits in a store. Only tests, and what makes their data, may use it. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Act, FixtureOrg, type ReplyValues } from './calls.ts';
import type { HeldPlatform } from './held-platform.ts';

/** Every job of every queue. */
export const waitingJobs = [
  'align-workspace',
  'apply-template',
  'close-workspace',
  'deliver-webhook',
  'expiry',
  'lane',
  'maintain-entity',
  'person-data',
  'purge-entity',
  'purge-workspace',
  'remove-record',
  'retry',
  'run',
  'schedule',
  'schedules',
];

/** What a test asks for afterwards. */
export interface WaitingWork {
  /** Milliseconds since the epoch. */
  readonly filledAt: number;
  readonly builder: string;
  readonly founder: string;
  readonly removedCustomer: string;
  readonly exportJob: string;
  readonly application: string;
  /** The run that waits for an hour, and the one that no process has taken. */
  readonly runs: readonly [string, string];
}

/** Nothing listens there. */
const deadUrl = 'http://127.0.0.1:9/hook';
const app = { run_as: 'app', policies: [{ Effect: 'Allow', Action: ['listuser'], Resource: ['/list/user'] }] };
const nightly = { cron: '0 3 * * *', timezone: 'UTC', missed: 'skip' };
const farOff = Number.MAX_SAFE_INTEGER;

/** An event that tells of new things. */
export function eventTo(url: string) {
  return {
    ...{ entity_name: 'thing', event_name: 'tell', event_type: 'webhook', event_stage: 'after' },
    ...{ event_optype: 'create', enabled: true, destination_config: { url } },
  };
}

class Filling {
  readonly platform: HeldPlatform;
  readonly org: FixtureOrg;
  readonly #letGo: (jobs: readonly string[]) => void;

  constructor(platform: HeldPlatform, org: FixtureOrg, letGo: (jobs: readonly string[]) => void) {
    this.platform = platform;
    this.org = org;
    this.#letGo = letGo;
  }

  async isThere(job: string): Promise<boolean> {
    return (await this.platform.jobsBy(farOff)).includes(job);
  }

  async untilDone(job: string, isDone: () => Promise<boolean>): Promise<void> {
    this.#letGo([job]);
    while (!(await isDone())) await pause(50);
    this.#letGo([]);
  }

  define(entityName: string, ...UpdateParams: readonly object[]): Promise<ReplyValues> {
    return this.org.manage('201 POST', `/api/create-${entityName}`, { body: { entityName, UpdateParams } });
  }

  block(name: string, content: object): Promise<ReplyValues> {
    return this.org.manage('201 POST', '/config/logicblock', { body: { name, content: { name, ...app, ...content } } });
  }

  async begin(name: string): Promise<string> {
    const body = { tenant_code: 'main', input: {} };
    const reported = await this.org.manage('202 POST', `/logicblocks/${name}/run`, { body });
    return (reported as unknown as { readonly run: string }).run;
  }
}

/** @param letGo has the work of these jobs done, and no other. */
export async function fillWaiting(
  platform: HeldPlatform,
  letGo: (jobs: readonly string[]) => void,
): Promise<WaitingWork> {
  const org = await FixtureOrg.signUp(platform, 'shop');
  const filling = new Filling(platform, org, letGo);
  for (const entity of ['customer', 'thing', 'brief']) await filling.define(entity, { name: 'title' });
  const lookup = { entity: 'customer', onDelete: 'cascade' };
  await filling.define('ticket', { name: 'customer_id', colType: 'guid', lookup });
  await filling.untilDone('maintain-entity', async () => !(await filling.isThere('maintain-entity')));
  const founder = await org.signIn('ann@example.com');
  const act = org.as(founder.token);
  const removedCustomer = await fillRemovals(filling, act);
  const runs = await fillRuns(filling);
  await fillDeliveries(filling, act);
  const indexed = { UpdateParams: [{ name: 'title', index: true }] };
  await org.manage('200 PUT', '/api/create-thing', { body: indexed });
  const exported = await org.manage('202 POST', `/org/app-users/${founder.id}/export`, { body: { env: 'test' } });
  const policies = [{ name: 'clerk', statements: [{ Effect: 'Allow', Action: ['getthing'], Resource: ['*'] }] }];
  const templates = { group: 'tenancy', name: 'workspace_templates', value: { policies, groups: [] } };
  await org.manage('200 PUT', '/org/settings', { body: templates });
  const { id: application } = await org.manage('201 POST', '/org/workspace-template/applications', { body: {} });
  return {
    ...{ filledAt: Date.now(), builder: org.token, founder: founder.token },
    ...{ removedCustomer, exportJob: exported.id, application, runs },
  };
}

async function fillRemovals(filling: Filling, act: Act): Promise<string> {
  const { org } = filling;
  const { id } = await act('201 POST', '/create/customer', { body: { title: 'large' } });
  const rows = Array.from({ length: 600 }, () => `${JSON.stringify({ customer_id: id })}\n`);
  const ndjson = { 'content-type': 'application/x-ndjson' };
  await act('200 POST', '/import/ticket', { body: rows.join(''), headers: ndjson });
  await act('202 DELETE', `/delete/customer/${id}`);
  await act('201 POST', '/create/brief', { body: { title: 'gone soon' } });
  await org.manage('204 DELETE', '/api/entity?entityname=brief');
  for (const code of ['second', 'third', 'fourth']) {
    const { token } = await org.signIn('hal@example.com');
    await org.as(token)('201 POST', '/user/workspace', { body: { name: code, code } });
    const inside = await org.exchange(token);
    if (code !== 'second') await org.as(inside.token)('204 DELETE', '/user/workspace', { body: { code } });
    if (code === 'third') await filling.untilDone('close-workspace', () => filling.isThere('purge-workspace'));
  }
  await org.manage('204 POST', '/org/workspaces/second/suspend', { body: { env: 'test', reason: 'unpaid' } });
  return id;
}

/** With the alert of a run that has failed. */
async function fillRuns(filling: Filling): Promise<WaitingWork['runs']> {
  const { manage } = filling.org;
  const steps = [{ id: 'all', type: 'list', entity: 'user' }];
  await manage('200 PUT', '/org/alerts/webhook', { body: { url: deadUrl } });
  await filling.block('failing', { steps: [{ id: 'no', type: 'raise', status: 409, code: 'no', message: 'no' }] });
  await filling.block('plain', { steps });
  await filling.block('waiting', { steps: [{ id: 'hour', type: 'wait', seconds: 3600 }] });
  await filling.begin('failing');
  await filling.untilDone('run', () => filling.isThere('deliver-webhook'));
  await manage('202 POST', '/org/alerts/webhook/test');
  const waiting = await filling.begin('waiting');
  await filling.untilDone('run', async () => (await manage('200 GET', `/runs/${waiting}`)).state === 'waiting');
  await filling.block('nightly', { schedule: nightly, steps });
  await filling.untilDone('schedules', () => filling.isThere('schedule'));
  await filling.block('later', { schedule: nightly, steps });
  return [waiting, await filling.begin('plain')];
}

async function fillDeliveries(filling: Filling, act: Act): Promise<void> {
  await filling.org.manage('201 POST', '/config/event', { body: { name: 'tell', content: eventTo(deadUrl) } });
  await act('201 POST', '/create/thing', { body: { title: 'held' } });
  await filling.untilDone('lane', () => filling.isThere('retry'));
  await act('201 POST', '/create/thing', { body: { title: 'unsent' } });
}
