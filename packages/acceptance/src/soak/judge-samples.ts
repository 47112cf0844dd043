/** What the samples of a process say of it. */
import type { Samples } from './samples.ts';
import { floorsOf, hasRisen, type Point, settledTrendOf, type Verdict, verdictOf } from './trend.ts';

export interface Judged {
  readonly isGood: boolean;
  readonly verdictText: string;
}

/** The promises of the platform about its memory, in MB per hour. */
const growthMax = 1;

/**
 * MB by which it may settle in the time that is measured: code that V8 compiles as it gets used, and what the allocator
 * keeps for it. The longer that time, the less is it an hour.
 */
const settles = { resident: 5, objects: 2, code: 3 };

/**
 * Three times, since each says what the others cannot. Resident memory is what was promised, and all there is but for the
 * pages of files, which the system takes back; but it goes up and down with what was not collected yet. What is left of
 * the heap by collections is much less noisy: objects, and beside them the code of what has run, which ends with the
 * program's text.
 */
export function judgeMemory({
  resident,
  mapped,
  live,
  code,
}: Samples): readonly { readonly verdict: Verdict; readonly verdictText: string }[] {
  const span = (resident.at(-1)?.at ?? 0) - (resident[0]?.at ?? 0);
  // What a process needs for a moment, as for a password hash, is gone in the next.
  const own = resident.map(({ at, value }, index) => ({ at, value: value - (mapped[index]?.value ?? 0) }));
  const floors = floorsOf(own, Math.max(2, Math.min(30, span / stretches)));
  const within = (megabytes: number): number => Math.max(growthMax, (megabytes * 3600) / span);
  return [
    judge('resident memory', floors, within(settles.resident)),
    judge('objects after collections', live, within(settles.objects)),
    judge('code after collections', code, within(settles.code)),
  ];
}

const stretches = 24;

function judge(what: string, points: readonly Point[], growthPerHour: number) {
  const trend = settledTrendOf(points);
  const verdict = verdictOf(trend, growthPerHour);
  const values = points.map(({ value }) => value);
  const range =
    points.length === 0 ? 'none' : `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)} MB`;
  const slope = `${trend.slope.toFixed(1)} ± ${trend.uncertainty.toFixed(1)} MB/h`;
  const figures = `${slope} of ${points.length} points, ${range}, limit ${growthPerHour.toFixed(1)} MB/h`;
  return { verdict, verdictText: `${what}: ${verdict} (${figures})` };
}

/** What is counted has to come back to where it was. */
export function judgeNumbers({ descriptors, threads }: Samples): readonly Judged[] {
  return [judgeNumber('descriptors', descriptors), judgeNumber('threads', threads)];
}

function judgeNumber(what: string, points: readonly Point[]): Judged {
  const values = points.map(({ value }) => value);
  const hasGrown = hasRisen(points);
  return {
    isGood: !hasGrown,
    verdictText: `${what}: ${hasGrown ? 'grow' : 'flat'}, ${Math.min(...values)} to ${Math.max(...values)}`,
  };
}
