/** The configuration of an org: what is active, and how it changes. */
export {
  type ChangeConfigDeps,
  type ConfigChange,
  changeConfig,
  planConfig,
  type SwitchTime,
  schedulesDue,
} from './change-config.ts';
export { type ConfigReader, type ConfigReaders, createConfigReader, openConfigs } from './config-reader.ts';
export {
  type ActiveEntity,
  type ApiVersions,
  type ConfigGate,
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
export {
  activeApis,
  activeConfigKey,
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
  itemVersionKey,
  liveSettings,
  references,
  referencesChange,
  referencesPut,
  versionKey,
} from './org-keys.ts';
export { type Reference, type ReferenceMap, withReferences } from './reference-map.ts';
export {
  effectiveValue,
  type SettingContext,
  type SettingType,
  settingOf,
  valueIn,
} from './setting.ts';
