/** The kinds of config items that there are. Only tests may use it. */
import { configKinds as all } from '../composition/config-kinds.ts';
import type { SettingType } from '../config/setting.ts';
import { settingsKind } from '../people/port.ts';
import { type ConfigKinds, kindsOf } from '../promotion/port.ts';

/** As a platform has them. */
export const configKinds: ConfigKinds = kindsOf(all);

/** With other settings. */
export function kindsWith(settingTypes: readonly SettingType[]): ConfigKinds {
  return kindsOf([...all.filter(({ kind }) => kind !== 'settings'), settingsKind(settingTypes)]);
}
