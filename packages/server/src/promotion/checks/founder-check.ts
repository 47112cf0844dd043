import { itemKey } from '../../config/port.ts';
import type { Check } from '../kind-records.ts';
import { type PromotionDeps, promotionContext } from '../promotion-deps.ts';
import { stagedTargets } from '../releases/staged-targets.ts';
import { bodiesAfter } from './checks.ts';

/** Who becomes the first admin of production, were all that is staged activated. */
export async function founderChecks(deps: PromotionDeps, orgCode: string): Promise<readonly Check[]> {
  if (deps.founderNote === undefined) return [];
  const { before, targets } = await stagedTargets(await promotionContext(deps, 'prod', orgCode));
  const after = bodiesAfter(before, targets);
  const told = await deps.founderNote(orgCode, (item) => after.get(itemKey(item))?.content);
  return told === undefined ? [] : [{ check: 'founder', ...told }];
}
