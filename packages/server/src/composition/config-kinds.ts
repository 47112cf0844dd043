import { automationKinds } from '../automation/port.ts';
import type { SettingType } from '../config/port.ts';
import { entityKind } from '../entities/port.ts';
import { settingsKind, settingTypes } from '../people/port.ts';
import type { ConfigKind } from '../promotion/port.ts';
import type { Feature } from './contribution.ts';
import * as features from './features.ts';

const added: Readonly<Record<string, Feature>> = Object.fromEntries(Object.entries<Feature>(features));

/** By module. */
export const contributedSettings: Readonly<Record<string, readonly SettingType[]>> = {
  people: settingTypes,
  ...mapped(({ settings }) => settings),
};

/** Every setting of an org. */
export const allSettings: readonly SettingType[] = Object.values(contributedSettings).flat();

/** By module: each owns the contents of its kinds. */
export const contributedKinds: Readonly<Record<string, readonly ConfigKind[]>> = {
  entities: [entityKind],
  automation: automationKinds,
  people: [settingsKind(allSettings)],
  ...mapped(({ kinds }) => kinds),
};

/** All kinds of config items that there are. */
export const configKinds: readonly ConfigKind[] = Object.values(contributedKinds).flat();

function mapped<T>(members: (feature: Feature) => readonly T[] | undefined): Readonly<Record<string, readonly T[]>> {
  return Object.fromEntries(Object.entries(added).map(([name, feature]) => [name, members(feature) ?? []]));
}
