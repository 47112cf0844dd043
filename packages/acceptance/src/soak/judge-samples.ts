/** What the samples of a process say of it. */
import type { Samples } from './samples.ts';
import { floorsOf, hasRisen, type Point, settledTrendOf, type Verdict, verdictOf } from './trend.ts';

export interface Judged {
  readonly isGood: boolean;
  readonly said: string;
}

/** What the platform promises of its memory, in MB per hour. */
const growthMax = 1;

/**
 * Twice, since each says what the other cannot. Resident memory is what was promised, and all there is; but it goes up
 * and down with what was not collected yet. What is left of the heap by collections is much less noisy, and knows of
 * objects alone.
 */
export function judgeMemory({
  resident,
  live,
}: Samples): readonly { readonly verdict: Verdict; readonly said: string }[] {
  const span = (resident.at(-1)?.at ?? 0) - (resident[0]?.at ?? 0);
  // What a process needs for a moment, as for a password hash, is gone in the next.
  const floors = floorsOf(resident, Math.max(2, Math.min(30, span / stretches)));
  return [judge('resident memory', floors), judge('heap after collections', live)];
}

const stretches = 24;

function judge(what: string, points: readonly Point[]) {
  const trend = settledTrendOf(points);
  const verdict = verdictOf(trend, growthMax);
  const values = points.map(({ value }) => value);
  const range =
    points.length === 0 ? 'none' : `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)} MB`;
  const within = verdict === 'cannot tell' ? ` within ±${trend.uncertainty.toFixed(1)} MB/h` : '';
  const figures = `${trend.slope.toFixed(1)} ± ${trend.uncertainty.toFixed(1)} MB/h of ${points.length} points, ${range}`;
  return { verdict, said: `${what}: ${verdict}${within} (${figures})` };
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
    said: `${what}: ${hasGrown ? 'grow' : 'flat'}, ${Math.min(...values)} to ${Math.max(...values)}`,
  };
}
