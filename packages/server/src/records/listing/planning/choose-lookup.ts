/** Whether records are found sooner by what their lookups point to than by going through all of them. */
import type { Range, Scope } from '../../../store/port.ts';
import type { ListPlan } from './list-plan.ts';
import { idAtEnd, type LookupPlan } from './lookup-plan.ts';

/** How many other records are sought by at most: a page reads the index of the lookup for each of them. */
export const othersMax = 100;

/** Measured: to look for the records that point to one takes as long as to go through so many and their lookups. */
export const recordsPerSearch = 3;

/** Beyond it, records are gone through: there are nearly as many as would be found. */
const countedMax = 2000;

/**
 * The ids of the other records by which those of the answer are found; undefined where going through the range is
 * expected to be cheaper. A page of one list may be read in one way and the next in the other.
 * @param rest the range of the plan that the page has before it.
 */
export async function othersSought(
  scope: Scope,
  { pk, lookup }: Pick<ListPlan, 'pk' | 'lookup'>,
  rest: Range,
): Promise<readonly string[] | undefined> {
  if (lookup === undefined) return undefined;
  const { others } = lookup;
  const [found, [counter]] = await Promise.all([
    scope.range(others.pk, { ...others.range, limit: othersMax + 1 }),
    scope.get([others.counter]),
  ]);
  if (found.length > othersMax) return undefined;
  const needed = recordsNeeded(lookup, found.length, Number(counter?.value ?? 0));
  if (needed === undefined) return undefined;
  const isEnough = (await scope.count(pk, rest, needed + 1)) > needed;
  return isEnough ? found.map(({ sk }) => idAtEnd(sk)) : undefined;
}

/**
 * How many records there have to be at least in the range; undefined where it is expected to be cheaper to go through
 * however many there are. All others are taken to have as many records.
 */
function recordsNeeded({ wanted }: LookupPlan, sought: number, all: number): number | undefined {
  if (sought === 0) return 0;
  if (sought >= all) return undefined;
  const searches = recordsPerSearch * sought;
  // For each record of the answer so many others are gone through.
  const passedForEach = all / sought - 1;
  // Those of the answer are read in both ways.
  const needed = Math.ceil((searches * all) / (all - sought));
  return wanted * passedForEach > searches && needed <= countedMax ? needed : undefined;
}
