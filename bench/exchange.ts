/**
 * What an exchange of tokens costs: CPU of the platform's whole process per `GET /token`, in milliseconds.
 *
 *   npm run bench -- exchange
 *
 * The provider is another process's: its keys are fetched once, by the warm-up, and known from then on. Both kinds of
 * exchange are measured in turns.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import {
  allowIssuers,
  clientAtProvider,
  personAt,
  startIdentityProvider,
} from '../packages/acceptance/src/identity-provider.ts';
import { appUrl, foundedOrg } from '../packages/acceptance/src/org.ts';
import { startPlatform } from '../packages/acceptance/src/platform.ts';
import { compete, connections, job, medianCost, nodeFlags, type Plan } from './measure.ts';

const targetMilliseconds = 3;
const plan: Plan = { rounds: 9, warmUpRequests: 6000, requests: 1500, millisecondsMax: 20_000, staysAwake: false };

async function main(): Promise<void> {
  const platform = await startPlatform({ nodeFlags, ipc: true });
  const provider = await startIdentityProvider();
  const load = fork(join(import.meta.dirname, 'load.ts'));
  try {
    const { org, founder } = await foundedOrg(platform);
    await allowIssuers(org, [{ issuer: provider.issuer, audiences: [clientAtProvider] }]);
    const server = { child: platform.child, port: Number(new URL(platform.app).port) };
    const path = new URL(appUrl(org, '/token')).pathname;
    const exchange = (oauthtoken: string) => {
      const headers = { client_id: org.clientId, oauthtoken };
      return { server, job: job(server, plan, { method: 'GET', path, token: '', headers, status: 200 }) };
    };
    const ends = { exp: Math.floor(Date.now() / 1000) + 3600 };
    const contest = {
      'a provider’s token': exchange(provider.token(personAt('ann', ends))),
      'an app JWT': exchange(founder.token),
    };
    const rounds = await compete(contest, plan, load);
    const rows = (Object.keys(contest) as (keyof typeof contest)[]).map((name) => {
      const { cpuMicroseconds, requestsPerSecond } = medianCost(rounds.map((round) => round[name]));
      const milliseconds = cpuMicroseconds / 1000;
      return {
        'exchange of': name,
        'CPU ms': milliseconds.toFixed(2),
        target: targetMilliseconds.toFixed(1),
        verdict: milliseconds <= targetMilliseconds ? 'within' : 'over',
        'requests/s': Math.round(requestsPerSecond),
      };
    });
    console.log(
      `Node ${process.version}, ${connections} connections, ${plan.rounds} rounds of ${plan.requests} requests`,
    );
    console.table(rows);
    console.log(`the provider was asked ${provider.requests.length} times`);
  } finally {
    load.kill();
    provider.close();
    await platform.terminate();
  }
}

await main();
