/**
 * Has a platform work for long while it is started again and its keys are rotated, and looks at what it takes.
 *
 * npm run soak -- [--minutes 10] [--rate 60] [--samples FILE]
 * node packages/server/src/store/postgres/testing/with-server.ts npm run soak -- [...]      on PostgreSQL
 *
 * Clients of all sorts call at a bounded rate; the number of records stays the same. A fifth of the time goes by with
 * restarts, then one process warms up for three tenths, and is measured for the rest. Each read is held to what was
 * written, in the end all of it is read again, and nothing may have drifted in the store. Beside it a second platform,
 * in which faults are planted, gets the same: what the soak does not find there it would find nowhere.
 *
 * It ends with 1 where something was found; memory counts in runs of five minutes and more. That memory does not grow
 * by a megabyte an hour cannot be seen in minutes: the test checks what can be seen, and prints the limit.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeSoak } from './describe-soak.ts';
import { type FindingKind, findingKinds } from './findings.ts';
import { type Judged, judgeMemory, judgeNumbers } from './judge-samples.ts';
import { type Soaked, soak } from './soak.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      rate: { type: 'string', default: '60' },
      samples: { type: 'string' },
    },
  });
  const minutes = Number(values.minutes);
  const load = {
    milliseconds: minutes * 60_000,
    callsPerSecond: Number(values.rate),
    env: { SOAK_COLLECT_MILLISECONDS: String(betweenCollections(minutes)) },
  };
  const leak = leakPerMinute(minutes);
  const planted = {
    ...load,
    preloaded: new URL('./planted-faults.ts', import.meta.url),
    env: { ...load.env, SOAK_PLANTED_MEGABYTES_PER_MINUTE: String(leak) },
  };
  const [sound, faulty] = await Promise.all([soak(load), soak(planted)]);
  if (values.samples !== undefined) writeFileSync(values.samples, JSON.stringify(sound.samples));
  console.log(describeSoak(sound));
  const lines = [...judgeSound(sound, minutes), ...judgePlanted(faulty, leak)];
  for (const { isGood, verdictText } of lines) console.log(`${isGood ? 'ok  ' : 'FAIL'}  ${verdictText}`);
  const failed = lines.filter(({ isGood }) => !isGood).length;
  console.log(`\n${lines.length - failed} passed, ${failed} failed`);
  process.exit(failed > 0 ? 1 : 0);
}

/** The shorter the time, the steeper it has to be to stand out. */
function leakPerMinute(minutes: number): number {
  return Math.max(2, 100 / minutes);
}

/**
 * Milliseconds. Half of the time is measured: about twenty collections in it show a leak however busy the machine is, and
 * those of a longer run are no more often than the platform can bear.
 */
function betweenCollections(minutes: number): number {
  return Math.min(10_000, (minutes * 60_000) / 40);
}

const kinds = Object.keys(findingKinds) as readonly FindingKind[];

/** A process grows in its first minutes whatever it does: a shorter run prints its memory, and does not judge it. */
const judgedFromMinutes = 5;

function judgeSound(soaked: Soaked, minutes: number): readonly Judged[] {
  const { findings } = soaked.caller;
  return [
    ...kinds.map((kind) => ({
      isGood: findings.count(kind) === 0,
      verdictText: [`${findingKinds[kind]}: ${findings.count(kind)} found`, ...findings.examples(kind)].join(
        '\n      ',
      ),
    })),
    ...judgeMemory(soaked.samples).map(({ verdict, verdictText }) => ({
      isGood: verdict !== 'grows' || minutes < judgedFromMinutes,
      verdictText: minutes < judgedFromMinutes ? `${verdictText}, not judged` : verdictText,
    })),
    ...judgeNumbers(soaked.samples),
    ...soaked.verified.map(({ code, stdout, stderr }) => ({
      isGood: code === 0,
      verdictText: (code === 0 ? stdout.trim().split('\n').slice(-1) : [stdout, stderr]).join('\n'),
    })),
  ];
}

function judgePlanted({ caller, samples }: Soaked, leak: number): readonly Judged[] {
  const memory = judgeMemory(samples);
  const descriptors = judgeNumbers(samples).filter(({ isGood }) => !isGood);
  return [
    ...kinds.map((kind) => {
      const count = caller.findings.count(kind);
      return { isGood: count > 0, verdictText: `planted: ${kind}: found ${count} times` };
    }),
    {
      isGood: memory.some(({ verdict }) => verdict === 'grows'),
      verdictText: `planted: ${leak} MB of memory a minute: ${memory.map(({ verdictText }) => verdictText).join('; ')}`,
    },
    {
      isGood: descriptors.length > 0,
      verdictText: `planted: a descriptor a second: ${descriptors.map(({ verdictText }) => verdictText)}`,
    },
  ];
}

await main();
