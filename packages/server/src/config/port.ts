/** The configuration of an org: what is active, how it changes, and the fence that keeps writes to it. */
export {
  type ChangeConfigDeps,
  type ConfigChange,
  changeConfig,
  planConfig,
  type SwitchTime,
  schedulesDue,
} from './change-config.ts';
export { type ConfigGate, configSize, configSizeAfter } from './config-gate.ts';
export { type ConfigReader, type ConfigReaders, createConfigReader, openConfigs } from './config-reader.ts';
export {
  type ActiveEntity,
  type ApiVersions,
  type ConfigItem,
  type ConfigItemKind,
  type ConfigSet,
  configItemKinds,
  itemKey,
  itemOfKey,
  itemsOfKind,
  type LiveItem,
  referencesTo,
  type StoredSetting,
  systemConfig,
  targetsOf,
} from './config-set.ts';
export { newBodies, referencesChange, referencesPut, sameVersions } from './entity-rows.ts';
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
export {
  effectiveValue,
  isObject,
  readSettingContent,
  type SettingContent,
  type SettingType,
  type Surroundings,
  settingOf,
  unknownMembers,
  valueIn,
  wrong,
} from './setting.ts';
