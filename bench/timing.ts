/**
 * Whether the time of a refused log-in reveals that an account exists: log-ins for a known and for an unknown address,
 * in random turns, compared by the Mann-Whitney U test.
 *
 * npm run bench -- timing [--pairs 500]
 *
 * A small p says that the two can be distinguished. Of a hundred runs one gives less than 0.01 by chance.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { call } from '../packages/acceptance/src/call.ts';
import { appUrl, foundedOrg, newEmail } from '../packages/acceptance/src/org.ts';
import { startPlatform } from '../packages/acceptance/src/platform.ts';
import { putSetting } from '../packages/acceptance/src/workspaces.ts';
import { median } from './measure.ts';

/** One refused log-in for this address. */
type Attempt = (email: string) => Promise<void>;

interface Samples {
  readonly known: readonly number[];
  readonly unknown: readonly number[];
}

const warmUpPairs = 50;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { pairs: { type: 'string', default: '500' } } });
  const pairs = Number(values.pairs);
  const platform = await startPlatform({ env: { FREEHOLD_TRUSTED_PROXIES: '127.0.0.1' } });
  try {
    const { org, founder } = await foundedOrg(platform);
    await putSetting(org, 'auth', 'password_login', { enabled: true, allow_signup: false, min_length: 10 });
    const ofUser = refusedAt(appUrl(org, '/login'), { client_id: org.clientId });
    const ofBuilder = refusedAt(`${org.management}/auth/login`, {});
    const results = [];
    for (const [what, attempt, known] of [
      ['log-in of an app', ofUser, founder.email],
      ['log-in of a builder', ofBuilder, org.builder.email],
    ] as const) {
      await sample(attempt, known, warmUpPairs);
      results.push({ what, ...compared(await sample(attempt, known, pairs)) });
    }
    console.log(`Node ${process.version}, ${pairs} pairs`);
    console.table(results);
  } finally {
    await platform.terminate();
  }
}

/** Each from an address of its own, so that no throttle is met. */
function refusedAt(url: string, headers: Readonly<Record<string, string>>): Attempt {
  return async (email) => {
    const from = `2001:db8:${hex()}:${hex()}::1`;
    const body = { email, password: 'not the password' };
    const { status, text } = await call('POST', url, { body, headers: { ...headers, 'x-forwarded-for': from } });
    if (status !== 401) throw new Error(`${url} answered ${status} ${text}`);
  };
}

function hex(): string {
  return randomInt(0x10000).toString(16);
}

async function sample(attempt: Attempt, known: string, pairs: number): Promise<Samples> {
  const timed = async (email: string): Promise<number> => {
    const startedAt = performance.now();
    await attempt(email);
    return performance.now() - startedAt;
  };
  const samples = { known: [] as number[], unknown: [] as number[] };
  const [local = ''] = known.split('-');
  for (let pair = 0; pair < pairs; pair++) {
    const order = randomInt(2) === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    // As long as the known one, and as new as an attacker's guess.
    for (const which of order) samples[which].push(await timed(which === 'known' ? known : newEmail(local)));
  }
  return samples;
}

function compared({ known, unknown }: Samples) {
  const milliseconds = (times: readonly number[]) => `${median(times).toFixed(3)} ms`;
  return { known: milliseconds(known), unknown: milliseconds(unknown), p: mannWhitney(known, unknown).toFixed(3) };
}

/**
 * The two-sided p of the hypothesis that neither sample tends to be larger, by the normal approximation, which is good
 * from about twenty values each. Times of this clock are all but never equal, so ties need no correction; those that
 * are get the mean of their ranks.
 */
function mannWhitney(a: readonly number[], b: readonly number[]): number {
  const rankSum = a.reduce((sum, value) => sum + rankOf(value, a) + rankOf(value, b), 0) + a.length / 2;
  const u = rankSum - (a.length * (a.length + 1)) / 2;
  const mean = (a.length * b.length) / 2;
  const deviation = Math.sqrt((mean * (a.length + b.length + 1)) / 6);
  return 2 * normalTail(Math.abs(u - mean) / deviation);
}

/** How many of the others lie below, those that are equal by half. */
function rankOf(value: number, others: readonly number[]): number {
  return others.reduce((rank, other) => rank + (other < value ? 1 : other === value ? 0.5 : 0), 0);
}

/** P(Z > z) for z from 0 on; Abramowitz and Stegun, 26.2.17, to 8e-8. */
function normalTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const factors = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
  const series = factors.reduceRight((sum, factor) => (sum + factor) * t, 0);
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}

await main();
