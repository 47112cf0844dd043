/** A soak of one platform: load, restarts and rotations for so long, then everything is read again. */
import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import { exchangeToken, logIn } from '../org.ts';
import { type CommandResult, commandToEnd } from '../platform.ts';
import { build, promote } from './builders.ts';
import { type KeyCounts, keyStates, rotateKeys } from './key-rotations.ts';
import { People } from './people.ts';
import { RecordWorkload } from './record-workload.ts';
import { type Samples, startSampler } from './samples.ts';
import { ignoreFound, SoakCaller, untilOver } from './soak-caller.ts';
import { type SoakedPlatform, startSoaked } from './soaked-platform.ts';
import { type Stage, setStage } from './stage.ts';
import { beRefused, hangUp, signInWrongly } from './strangers.ts';
import { fillWhatIsKept } from './warm-up.ts';

export interface SoakOptions {
  readonly milliseconds: number;
  readonly callsPerSecond: number;
  /** A module with faults for the platform. */
  readonly preloaded?: URL;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Soaked {
  readonly caller: SoakCaller;
  /** Of the last life, after its warm-up. */
  readonly samples: Samples;
  readonly restarts: readonly { readonly drainMilliseconds: number; readonly startMilliseconds: number }[];
  readonly keys: KeyCounts;
  readonly keyStates: string;
  /** Tokens and people that the platform met for the first time while it was measured. */
  readonly met: number;
  readonly records: number;
  /** What `freehold verify` and `freehold audit verify` said in the end. */
  readonly verified: readonly CommandResult[];
}

/** Of the time: restarts, then one life that warms up, and is measured to the end. */
const shares = { restarts: 0.2, warmUp: 0.3 };
const restartsAtMost = 12;
const shortestLifeMilliseconds = 5000;

export async function soak(options: SoakOptions): Promise<Soaked> {
  const platform = await startSoaked(options);
  const caller = new SoakCaller(platform, options.callsPerSecond);
  const stage = await setStage(platform);
  const workloads = stage.workplaces.flatMap((workplace) =>
    (['thing', 'ticket'] as const).map((entity) => new RecordWorkload(caller, { entity, workplace })),
  );
  for (const workload of workloads) await workload.fill();
  const people = stage.workplaces.map((workplace) => new People(caller, workplace));
  const keys: KeyCounts = { requestCount: 0, made: 0, revoked: 0 };
  const load = Promise.all([
    ...[...workloads, ...people].map((client) => untilOver(caller, () => client.turn())),
    untilOver(caller, () => build(caller, stage)),
    untilOver(caller, () => promote(caller, stage)),
    untilOver(caller, () => beRefused(caller, stage)),
    untilOver(caller, () => beRefused(caller, stage)),
    untilOver(caller, () => hangUp(caller, stage)),
    untilOver(caller, () => signInWrongly(caller, stage)),
    rotateKeys(caller, keys),
  ]);
  const measured = measure(caller, { milliseconds: options.milliseconds, people, stage });
  // A client that fails for a reason of its own ends the soak.
  const { restarts, samples, met } = await Promise.race([measured, load.then(() => measured)]);
  // Under load, like those before.
  const last = await platform.restart();
  caller.end();
  await load;
  return {
    caller,
    samples,
    restarts: [...restarts, last],
    keys,
    keyStates: await keyStates(caller),
    met,
    ...(await readAgain(stage, { caller, workloads })),
    verified: await verify(platform),
  };
}

interface Measuring {
  readonly milliseconds: number;
  readonly people: readonly People[];
  readonly stage: Stage;
}

async function measure(caller: SoakCaller, { milliseconds, people, stage }: Measuring) {
  const restarting = milliseconds * shares.restarts;
  const count = Math.max(1, Math.min(restartsAtMost, Math.floor(restarting / shortestLifeMilliseconds)));
  const restarts = [];
  for (let turn = 0; turn < count; turn++) {
    await after(restarting / count);
    restarts.push(await caller.platform.restart());
  }
  await Promise.all([after(milliseconds * shares.warmUp), fillWhatIsKept(stage)]);
  const metBefore = metBy(people);
  const sampler = startSampler(caller);
  await after(milliseconds * (1 - shares.restarts - shares.warmUp));
  await sampler.stop();
  return { restarts, samples: sampler.samples, met: metBy(people) - metBefore };
}

function metBy(people: readonly People[]): number {
  return people.reduce((total, { met }) => total + met, 0);
}

/** After a restart nothing is known but what is on disk. */
async function readAgain(
  { workplaces }: Stage,
  { caller, workloads }: { readonly caller: SoakCaller; readonly workloads: readonly RecordWorkload[] },
) {
  for (const workload of workloads) await workload.readAll().catch(ignoreFound);
  for (const { admin, held } of workplaces) {
    for (const token of held)
      await caller.ask('a token at the end', 200, () => exchangeToken(admin.org, token)).catch(ignoreFound);
    await caller.ask('a log-in at the end', 200, () => logIn(admin.org, admin.email)).catch(ignoreFound);
  }
  return { records: workloads.reduce((total, { kept }) => total + kept.size, 0) };
}

async function verify(platform: SoakedPlatform): Promise<readonly CommandResult[]> {
  const { code } = await platform.process().terminate();
  assert.equal(code, 0);
  const place = { dataDir: platform.dataDir };
  const words = ['--data-dir', platform.dataDir];
  return [await commandToEnd(['verify', ...words], place), await commandToEnd(['audit', 'verify', ...words], place)];
}
