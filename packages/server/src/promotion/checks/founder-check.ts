import { effectiveValue, itemKey, type SettingContent } from '../../config/port.ts';
import { type PromotionDeps, promotionContext, type SettingAfter } from '../promotion-deps.ts';
import { stagedTargets } from '../releases/staged-targets.ts';
import { bodiesAfter, type Check } from './checks.ts';

/** Who becomes the first admin of production, were all that is staged activated. */
export async function founderChecks(deps: PromotionDeps, orgCode: string): Promise<readonly Check[]> {
  if (deps.founderNote === undefined) return [];
  const { before, targets } = await stagedTargets(await promotionContext(deps, 'prod', orgCode));
  const after = bodiesAfter(before, targets);
  const settingAfter: SettingAfter = (type) => {
    const content = after.get(itemKey({ kind: 'settings', name: type.key }))?.content;
    return effectiveValue('prod', type, content as SettingContent | undefined);
  };
  const told = await deps.founderNote(orgCode, settingAfter);
  return told === undefined ? [] : [{ check: 'founder', ...told }];
}
