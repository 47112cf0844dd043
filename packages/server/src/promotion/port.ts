/** Configuration goes from test to production: compared, published, activated all at once, and taken back. */

export { archiveBytesMax } from './archive/config-archive.ts';
export type {
  DeployCheck,
  FailingItem,
  ItemTarget,
  KindRecords,
  MigrationDeps,
  RecordsPlan,
  SwitchMoment,
} from './config-kind.ts';
export {
  type ConfigKind,
  type ConfigKinds,
  type ContentChange,
  type ItemReference,
  kindsOf,
  type LiveContents,
  otherName,
} from './config-kind.ts';
export { describeList, describeMembers, listed, shown } from './differences/describe-change.ts';
export { type BodyChange, type BodyVersions, type ItemStorage, plainStorage } from './item-storage.ts';
export { itemChanged } from './items/item-history.ts';
export { openPromotion } from './open-promotion.ts';
export type { ConfigItems, Promotion } from './promotion.ts';
