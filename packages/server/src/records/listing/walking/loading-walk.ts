import { judgeRecord, type WalkedRecord } from '../judge-records.ts';
import type { ListPlan } from '../planning/list-plan.ts';
import type { RecordWalk } from './record-walk.ts';
import type { ScanLeft } from './scan-budget.ts';

const loadedAtOnce = 50;

/**
 * The same records with those loaded that a filter follows lookups to, as far as the budget has room for these too. They
 * are loaded for records alone that are the caller's, and of which the filter is asked.
 * @param budget what is left, and whether the share of the steps is spent that judging records before the filter may take.
 */
export function loadingWalk(
  plan: ListPlan,
  walk: RecordWalk,
  { left, isSpent }: { readonly left: ScanLeft; readonly isSpent: () => boolean },
): RecordWalk {
  const { lookups } = plan.expression ?? {};
  if (lookups === undefined) return walk;
  const isLoadingSpent = () => left.bytes <= 0 || !left.hasTime() || isSpent();
  let isCut = false;
  return {
    ...walk,
    next: async (limit) => {
      const affordable = Math.floor(left.items / (1 + lookups.followed.length));
      const entries = await walk.next(Math.max(1, Math.min(limit, loadedAtOnce, affordable)));
      const judged: WalkedRecord[] = [];
      for (const entry of entries) {
        if (judged.length > 0 && isSpent()) break;
        judged.push({ ...entry, judged: judgeRecord(plan, lookups.entity, entry) });
        await lookups.pause();
      }
      const asked = judged.flatMap((one, at) =>
        typeof one.judged === 'object' ? [{ at, data: one.judged.data }] : [],
      );
      const loaded = await lookups.load(
        asked.map(({ data }) => data),
        left,
        isLoadingSpent,
      );
      const ready = judged.slice(0, asked[loaded]?.at);
      isCut = ready.length < entries.length;
      return ready;
    },
    isAtEnd: () => !isCut && walk.isAtEnd(),
    isSpent: () => isCut || left.items <= 0 || walk.isSpent(),
  };
}
