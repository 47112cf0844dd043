/** The configuration of an org: what is active, how it changes, and the fence that keeps writes to it. */
export { type ChangeConfigDeps, type ConfigChange, changeConfig, planConfig, schedulesDue } from './change-config.ts';
export { type ConfigGate, configSize, configSizeAfter } from './config-gate.ts';
export { type ConfigItem, type ConfigItemKind, configItemKinds, itemKey, itemOfKey } from './config-item.ts';
export { type ConfigReader, type ConfigReaders, createConfigReader, openConfigs } from './config-reader.ts';
export {
  type ActiveEntity,
  type ApiVersions,
  type ConfigSet,
  itemsOfKind,
  type LiveItem,
  referencesTo,
  type StoredSetting,
  systemConfig,
  targetsOf,
} from './config-set.ts';
export { newBodies, sameVersions } from './entity-bodies.ts';
export {
  createFences,
  endMarks,
  type FenceLevel,
  type Fences,
  fenceKey,
  fences,
  floorKey,
  minConfigVersion,
  putMarks,
  raise,
  tombstone,
} from './fence.ts';
export { type ItemChanged, itemChanged, itemHistory } from './item-history.ts';
export {
  activeApis,
  activeItems,
  apiBodies,
  configHeadKey,
  definitions,
  type EntityRow,
  entityPartition,
  entityRow,
  entityRows,
  entityStates,
  itemBodies,
  itemHistoryPrefix,
  itemVersionKey,
  liveSettings,
  references,
  versionKey,
} from './org-keys.ts';
export { referencesChange, referencesPut } from './references-change.ts';
export {
  effectiveValue,
  type SettingContent,
  type SettingType,
  type Surroundings,
  settingOf,
  valueIn,
} from './setting.ts';
export { readSettingContent } from './setting-content.ts';
export { isObject, unknownMembers, wrong } from './setting-errors.ts';
export type { SwitchTime } from './switch-time.ts';
