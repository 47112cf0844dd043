/**
 * What it costs to hold an org to a plan, and to tell what it uses where it has very many workspaces.
 *
 *   npm run bench -- metering [--workspaces 1000] [--short]
 *
 * Orgs of one platform are measured in the same run, in turns; each ratio is the median of the rounds. Creates of an org
 * with limits are compared with those of an org without, both counted; `GET /observability` and creates of an org with
 * many workspaces with those of an org that has one. The workspaces are founded first, which takes the longest.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type AppUser, appUrl, create, defineEntity, definition, type Org } from '../packages/acceptance/src/org.ts';
import { givePlan, observe, withOperator } from '../packages/acceptance/src/plans.ts';
import { type Platform, startPlatform } from '../packages/acceptance/src/platform.ts';
import { founderOf, makeWorkspace, multiOrg, refreshed } from '../packages/acceptance/src/workspaces.ts';
import { compete, job, median, medianCost, nodeFlags, type Request, type Server } from './measure.ts';

const plenty = { api_calls_per_day: 1e12, api_calls_per_month: 1e12, records: 1e12 };
const foundedAtOnce = 8;
/** A person may be in 200. */
const workspacesOfOne = 100;
const writing = { rounds: 7, warmUpRequests: 5000, requests: 2000, millisecondsMax: 20_000, staysAwake: false };
const quickRun = { rounds: 5, warmUpRequests: 40, requests: 40, millisecondsMax: 120_000, staysAwake: false };
const body = JSON.stringify({ title: 'An order' });

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { workspaces: { type: 'string', default: '1000' }, short: { type: 'boolean', default: false } },
  });
  const workspaces = Number(values.workspaces);
  const platform = await startPlatform({ nodeFlags, ipc: true, ...withOperator });
  const load = fork(join(import.meta.dirname, 'load.ts'));
  try {
    const [free, limited, many] = [
      await orgWith(platform, 1),
      await orgWith(platform, 1),
      await orgWith(platform, workspaces),
    ];
    for (const { org } of [limited, many]) await givePlan(org, plenty);
    const rounds = values.short ? { rounds: 3 } : {};
    const contests = [
      { title: 'create, with limits to without', few: creating(free), more: creating(limited), plan: writing },
      {
        title: `create, with limits, of ${workspaces} workspaces to 1`,
        few: creating(limited),
        more: creating(many),
        plan: writing,
      },
      {
        title: `GET /observability of ${workspaces} workspaces to 1`,
        few: observing(limited),
        more: observing(many),
        plan: quickRun,
      },
    ];
    const rows = [];
    for (const { title, few, more, plan: whole } of contests) {
      const plan = { ...whole, ...rounds };
      const contest = { few: send(platform, few, plan), more: send(platform, more, plan) };
      const costs = await compete(contest, plan, load);
      const ratio = median(costs.map((round) => round.more.cpuMicroseconds / round.few.cpuMicroseconds));
      const [small, large] = [medianCost(costs.map((one) => one.few)), medianCost(costs.map((one) => one.more))];
      rows.push({
        title,
        ratio: ratio.toFixed(2),
        'CPU µs': large.cpuMicroseconds.toFixed(0),
        'CPU µs of the other': small.cpuMicroseconds.toFixed(0),
      });
    }
    console.log(`Node ${process.version}, ${workspaces} workspaces`);
    console.table(rows);
  } finally {
    load.kill();
    await platform.terminate();
  }
}

interface Measured {
  readonly org: Org;
  readonly founder: AppUser;
}

/** An org with so many workspaces, of which one is worked in. */
async function orgWith(platform: Platform, workspaces: number): Promise<Measured> {
  const org = await multiOrg(platform);
  await defineEntity(org, definition('order', [{ name: 'title' }]));
  const founder = await founderOf(org);
  for (let left = workspaces - 1; left > 0; left -= workspacesOfOne) {
    const owner = await founderOf(org);
    const codes = Array.from({ length: Math.min(left, workspacesOfOne) - 1 }, (_, nr) => `workspace-${left}-${nr}`);
    while (codes.length > 0) await Promise.all(codes.splice(0, foundedAtOnce).map((code) => found(owner, code)));
  }
  const known = await refreshed(founder);
  await create(known, 'order', { title: 'First' });
  const describe = (await observe(org)).usage.records.total;
  if (describe !== 1) throw new Error(`${describe} records are told`);
  return { org, founder: known };
}

async function found(owner: AppUser, code: string): Promise<void> {
  const made = await makeWorkspace(owner, { name: code, code });
  if (made.status !== 201) throw new Error(made.text);
}

interface GatewayRequest {
  readonly gateway: 'app' | 'management';
  readonly request: Request;
}

function creating({ org, founder }: Measured): GatewayRequest {
  const path = new URL(appUrl(org, '/create/order')).pathname;
  return { gateway: 'app', request: { method: 'POST', path, token: founder.token, body, status: 201 } };
}

function observing({ org }: Measured): GatewayRequest {
  return {
    gateway: 'management',
    request: { method: 'GET', path: '/observability', token: org.builder.token, status: 200 },
  };
}

function send(platform: Platform, { gateway, request }: GatewayRequest, plan: typeof writing) {
  const server: Server = { child: platform.child, port: Number(new URL(platform[gateway]).port) };
  return { server, job: job(server, plan, request) };
}

await main();
