/**
 * Whether one org or workspace can slow another down. A victim sends a few calls a second at a steady rate; the
 * aggressor, another process, sends a hundred times as many, or as many as it can.
 *
 * npm run bench -- fairness [--short] [--first] [--only reads,writes,…] [--rounds 6] [--seconds 5]
 *
 * Each round measures the victim alone, beside the aggressor, and beside a process that burns as much CPU as the
 * aggressor did and sends no calls: that is what sharing the machine costs. The aggressor and the burner run at a low
 * priority, because generators of load do not run on the server in earnest. `--first`, for root on Linux, puts all of
 * them before the programs of other sessions, so that a busy machine measures much as if it were idle, and not so far
 * that the kernel's own threads come to the disk too late:
 *
 * setsid -w node bench/fairness.ts --first
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPlatform } from '../../packages/acceptance/src/platform.ts';
import type { LoadDone, LoadJob } from '../call-load.ts';
import { median } from '../measure.ts';
import { type Case, caseNames, prepareFairness, type Victim } from './fairness-cases.ts';
import type { CallReport } from './report-calls.ts';

const ratioMax = 2;
const modes = ['alone', 'beside', 'burnt'] as const;
type Mode = (typeof modes)[number];

interface Plan {
  readonly rounds: number;
  readonly milliseconds: number;
}

/** What was seen of the victim in one mode, over all rounds. */
interface Seen {
  /** At the client, by kind of call. */
  readonly took: Record<string, number[]>;
  /** At the server. */
  readonly served: number[];
  readonly lateP99: number[];
  lost: number;
}

interface Generators {
  readonly platform: ChildProcess;
  readonly victim: ChildProcess;
  readonly aggressor: ChildProcess;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean' },
      first: { type: 'boolean' },
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
    },
  });
  const isShort = values.short === true;
  if (values.first === true) writeFileSync('/proc/self/autogroup', '-5');
  const plan: Plan = {
    rounds: Number(values.rounds ?? (isShort ? 2 : 6)),
    milliseconds: 1000 * Number(values.seconds ?? (isShort ? 2 : 5)),
  };
  const wanted = values.only?.split(',') ?? caseNames;
  const nodeFlags = ['--import', join(import.meta.dirname, 'report-calls.ts')];
  const platform = await startPlatform({ nodeFlags, ipc: true });
  const [victim, aggressor] = [startLoad(), startLoad()];
  try {
    setPriority(aggressor.pid ?? 0, 10);
    const { victim: share, cases } = await prepareFairness(platform);
    const unknown = wanted.filter((name) => !cases.some((one) => one.name === name));
    if (unknown.length > 0) throw new TypeError(`there is no case ${unknown.join(', ')}`);
    const generators = { platform: platform.child, victim, aggressor };
    await warmUp(generators, share, cases);
    for (const one of cases.filter(({ name }) => wanted.includes(name))) await measure(one, share, generators, plan);
  } finally {
    victim.kill();
    aggressor.kill();
    await platform.terminate();
  }
}

function startLoad(): ChildProcess {
  return fork(join(import.meta.dirname, '..', 'call-load.ts'));
}

async function ask<Answer>(child: ChildProcess, question: LoadJob | string): Promise<Answer> {
  const answer = once(child, 'message');
  child.send(question);
  return ((await answer) as [Answer])[0];
}

async function run(child: ChildProcess, job: LoadJob): Promise<LoadDone> {
  const done = await ask<LoadDone>(child, job);
  if (done.failure !== undefined) throw new Error(`a generator failed: ${done.failure}`);
  return done;
}

async function warmUp({ victim, aggressor }: Generators, share: Victim, cases: readonly Case[]): Promise<void> {
  for (const { calls } of [...cases, share]) {
    const job = { port: share.port, milliseconds: 1000, calls, pace: { connections: 16 } };
    const { statuses } = await run(aggressor, job);
    if (Object.keys(statuses).some((status) => !status.startsWith('2')))
      throw new Error(`the warm-up was answered ${JSON.stringify(statuses)}`);
  }
  await run(victim, { ...share, milliseconds: 1000 });
}

async function measure(one: Case, share: Victim, generators: Generators, plan: Plan): Promise<void> {
  const { platform, victim, aggressor } = generators;
  const seen = { alone: nothing(), beside: nothing(), burnt: nothing() };
  const statuses: Record<string, number> = {};
  const platformCpu: number[] = [];
  let cpuShare = 0;
  for (let round = 0; round < plan.rounds; round++) {
    for (const mode of modes) {
      const { milliseconds } = plan;
      const { port, calls } = { port: share.port, calls: one.calls };
      const pace = mode === 'beside' ? one.pace : { burns: Math.min(cpuShare, 1) };
      const lead = 300;
      const pressing =
        mode === 'alone' ? undefined : run(aggressor, { port, calls, pace, milliseconds: milliseconds + 2 * lead });
      await pause(lead);
      await ask<CallReport>(platform, 'report');
      const done = await run(victim, { ...share, milliseconds });
      const report = await ask<CallReport>(platform, 'report');
      add(seen[mode], done, report);
      const pressed = await pressing;
      if (mode !== 'beside' || pressed === undefined) continue;
      cpuShare = pressed.cpuShare;
      platformCpu.push(report.cpuMicroseconds / 1000 / milliseconds);
      for (const [status, count] of Object.entries(pressed.statuses))
        statuses[status] = (statuses[status] ?? 0) + count;
    }
  }
  print(one, seen, plan);
  const seconds = (plan.rounds * (plan.milliseconds + 600)) / 1000;
  const rates = Object.entries(statuses).map(([status, count]) => `${status}: ${Math.round(count / seconds)}/s`);
  console.log(
    `  aggressor ${rates.join(', ')}, its CPU ${cpuShare.toFixed(2)}, platform's ${median(platformCpu).toFixed(2)}\n`,
  );
}

function nothing(): Seen {
  return { took: {}, served: [], lateP99: [], lost: 0 };
}

function add(seen: Seen, { took, statuses }: LoadDone, report: CallReport): void {
  for (const [kind, times] of Object.entries(took)) seen.took[kind] = [...(seen.took[kind] ?? []), ...times];
  for (const [status, count] of Object.entries(statuses)) if (!status.startsWith('2')) seen.lost += count;
  seen.served.push(...report.took);
  seen.lateP99.push(report.lateP99);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function print(one: Case, seen: Readonly<Record<Mode, Seen>>, plan: Plan): void {
  const row = (timesOf: (mode: Mode) => readonly number[]) => {
    const p99 = (mode: Mode) => percentile(timesOf(mode), 0.99);
    const ratio = p99('beside') / p99('alone');
    return {
      calls: timesOf('beside').length,
      ...Object.fromEntries(modes.map((mode) => [`p50 ${mode}`, percentile(timesOf(mode), 0.5).toFixed(2)])),
      ...Object.fromEntries(modes.map((mode) => [`p99 ${mode}`, p99(mode).toFixed(2)])),
      'p99 ratio': ratio.toFixed(2),
      'ratio to burnt': (p99('beside') / p99('burnt')).toFixed(2),
      verdict: ratio <= ratioMax ? 'within' : 'over',
    };
  };
  const all = (mode: Mode) => Object.values(seen[mode].took).flat();
  const rows: Record<string, ReturnType<typeof row>> = {};
  for (const kind of Object.keys(seen.alone.took)) rows[kind] = row((mode) => seen[mode].took[kind] ?? []);
  rows.all = row(all);
  rows['all, in the server'] = row((mode) => seen[mode].served);
  console.log(`${one.name}: ${one.title} (${plan.rounds} rounds of ${plan.milliseconds / 1000} s)`);
  console.table(rows);
  const late = modes.map((mode) => `${mode} ${median(seen[mode].lateP99).toFixed(1)} ms`).join(', ');
  const lost = modes.map((mode) => `${mode} ${seen[mode].lost}`).join(', ');
  console.log(`  event loop late, p99: ${late}; victim's calls not served: ${lost}`);
}

await main();
