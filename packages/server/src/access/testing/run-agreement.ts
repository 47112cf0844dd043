/**
 * Compares the engine with the reference evaluator on as many pairs of random policies and a request as one likes.
 *
 *   npm run agreement -- [--pairs 5000000] [--seed n]
 */
import { parseArgs } from 'node:util';
import { agree, type Distribution, describe } from './agreement.ts';

const { values } = parseArgs({ options: { pairs: { type: 'string' }, seed: { type: 'string' } } });
const pairs = Number(values.pairs ?? 1_000_000);
const seed = Number(values.seed ?? Date.now() % 2 ** 32);
if (!Number.isSafeInteger(pairs) || !Number.isSafeInteger(seed)) throw new TypeError('whole numbers are asked for');

process.stdout.write(`${pairs} pairs, seed ${seed}\n`);
const seen: Distribution = new Map();
const found = agree(pairs, seed, seen);
process.stdout.write(`what came up in the first request of each world:\n${table(seen)}`);
process.stdout.write(found === undefined ? `agree on all ${pairs} pairs\n` : `${describe(found)}\n`);
process.exitCode = found === undefined ? 0 : 1;

function table(distribution: Distribution): string {
  const rows = [...distribution].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return rows.map(([name, count]) => `${String(count).padStart(10)}  ${name}\n`).join('');
}
