/** What a soak did and met, in figures. */
import type { Soaked } from './soak.ts';
import { medianOf, type Point } from './trend.ts';

export function describeSoak({ caller, samples, restarts, keys, keyStates, met, records }: Soaked): string {
  const answers = [...caller.answers].sort(([left], [right]) => (String(left) < String(right) ? -1 : 1));
  const total = answers.reduce((sum, [, count]) => sum + count, 0);
  const seconds = (samples.resident.at(-1)?.at ?? 0) - (samples.resident[0]?.at ?? 0);
  return [
    `${total} calls: ${answers.map(([status, count]) => `${status} × ${count}`).join(', ')}`,
    `${restarts.length} restarts: drained in ${longest(restarts.map(({ drainMilliseconds }) => drainMilliseconds))} ms` +
      ` and ready again after ${longest(restarts.map(({ startMilliseconds }) => startMilliseconds))} ms at most`,
    `keys: rotation asked for ${keys.requestCount} times, ${keys.made} made, ${keys.revoked} revoked while they waited; now ${keyStates}`,
    `${records} records as they were written; ${met} new tokens and people while it was measured`,
    `measured for ${Math.round(seconds)} s: resident ${spread(samples.resident)} MB, ${spread(samples.mapped)} of them files, heap ${spread(samples.heap)} MB,` +
      ` log ${spread(samples.log)} MB, latest turn of the event loop ${spread(samples.lag)} ms (least, median, most)`,
  ].join('\n');
}

function spread(points: readonly Point[]): string {
  const values = points.map(({ value }) => value);
  return [Math.min(...values), medianOf(points), Math.max(...values)].map((value) => value.toFixed(1)).join(', ');
}

function longest(milliseconds: readonly number[]): number {
  return Math.round(Math.max(...milliseconds));
}
