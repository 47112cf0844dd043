import type { ConfigSet, SettingType } from '../config/port.ts';
import { refuseRemoval } from './checks/refuse-removal.ts';
import { type ConfigItems, createConfigItems } from './config-items.ts';
import { createConfigKinds } from './config-kinds.ts';
import { createPromotion, type Promotion } from './promotion.ts';
import type { PromotionDeps } from './promotion-deps.ts';

export interface PromotionModuleDeps extends Omit<PromotionDeps, 'kinds'> {
  readonly settingTypes: readonly SettingType[];
}

export interface PromotionModule {
  readonly promotion: Promotion;
  readonly items: ConfigItems;
  /** @throws Problem `dangling_reference` where items other than entities refer to the entity. */
  refuseRemoval(place: { readonly orgCode: string; readonly set: ConfigSet }, entityName: string): Promise<void>;
}

/** Config items of all kinds, and their way from test to production. */
export function openPromotion({ settingTypes, ...rest }: PromotionModuleDeps): PromotionModule {
  const deps: PromotionDeps = { ...rest, kinds: createConfigKinds({ settingTypes }) };
  return {
    promotion: createPromotion(deps),
    items: createConfigItems(deps),
    refuseRemoval: (place, entityName) => refuseRemoval(deps, place, entityName),
  };
}
