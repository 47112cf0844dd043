import type { ConfigItem, ConfigSet } from '../config/port.ts';
import { refuseRemoval } from './checks/refuse-removal.ts';
import { type ConfigItems, createConfigItems } from './config-items.ts';
import { type ConfigKind, type ConfigKinds, kindsOf } from './config-kind.ts';
import { createPromotion, type Promotion } from './promotion.ts';
import type { PromotionDeps } from './promotion-deps.ts';

export interface PromotionModuleDeps extends Omit<PromotionDeps, 'kinds'> {
  /** One of each kind that there is. */
  readonly kinds: readonly ConfigKind[];
}

export interface PromotionModule {
  readonly promotion: Promotion;
  readonly items: ConfigItems;
  readonly configKinds: ConfigKinds;
  /** @throws Problem `dangling_reference` where items of other kinds refer to an item of test. */
  refuseRemoval(place: { readonly orgCode: string; readonly set: ConfigSet }, item: ConfigItem): Promise<void>;
}

/** Config items of all kinds, and their way from test to production. */
export function openPromotion(parts: PromotionModuleDeps): PromotionModule {
  const kinds = kindsOf(parts.kinds);
  const deps: PromotionDeps = { ...parts, kinds };
  return {
    promotion: createPromotion(deps),
    items: createConfigItems(deps),
    configKinds: kinds,
    refuseRemoval: (place, item) => refuseRemoval(deps, place, item),
  };
}
