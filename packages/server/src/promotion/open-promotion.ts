import type { ConfigItem, ConfigSet } from '../config/port.ts';
import { type ConfigKind, kindsOf } from './config-kind.ts';
import { refuseRemoval } from './items/item-references.ts';
import { createConfigItems, createPromotion } from './promotion.ts';
import type { PromotionDeps } from './promotion-deps.ts';
import { type PromotionRouteDeps, promotionRoutes } from './routes/promotion-routes.ts';

interface PromotionModuleDeps extends Omit<PromotionDeps, 'kinds'>, Pick<PromotionRouteDeps, 'templateApplications'> {
  /** One of each kind that there is. */
  readonly kinds: readonly ConfigKind[];
}

/** Config items of all kinds, and their way from test to production. */
export function openPromotion(parts: PromotionModuleDeps) {
  const kinds = kindsOf(parts.kinds);
  const deps: PromotionDeps = { ...parts, kinds };
  const served = { promotion: createPromotion(deps), items: createConfigItems(deps) };
  return {
    ...served,
    routes: promotionRoutes({ ...parts, ...served }),
    configKinds: kinds,
    /** @throws Problem `dangling_reference` where items of other kinds refer to an item of test. */
    refuseRemoval: (place: { readonly orgCode: string; readonly set: ConfigSet }, item: ConfigItem) =>
      refuseRemoval(deps, place, item),
  };
}
