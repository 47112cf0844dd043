/** Configuration goes from test to production: compared, published, activated all at once, and taken back. */

export { archiveBytesMax } from './archive/config-archive.ts';
export type { ConfigItems } from './config-items.ts';
export {
  type ConfigKind,
  type ConfigKinds,
  type ContentChange,
  type ItemReference,
  kindsOf,
  type LiveContents,
} from './config-kind.ts';
export { describeList, describeMembers, listed, shown } from './differences/describe-change.ts';
export { type BodyChange, type BodyVersions, type ItemStorage, plainStorage } from './item-storage.ts';
export {
  itemName,
  listOf,
  otherName,
  readContent,
  remark,
  repeated,
  someText,
} from './kind-content.ts';
export type {
  Check,
  FailingItem,
  ItemTarget,
  KindRecords,
  RecordsPlan,
  SwitchMoment,
  SwitchParts,
} from './kind-records.ts';
export { openPromotion, type PromotionModule } from './open-promotion.ts';
export type { Promotion } from './promotion.ts';
export { type PromotionRouteDeps, promotionRoutes } from './routes/promotion-routes.ts';
