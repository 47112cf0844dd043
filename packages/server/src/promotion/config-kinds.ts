import { type ConfigItem, type ConfigItemKind, configItemKinds, type SettingType } from '../config/port.ts';
import type { ConfigKind, ConfigKinds, KindTraits } from './config-kind.ts';
import { describePatch } from './differences/describe-change.ts';
import { diffJson } from './differences/json-patch.ts';
import { crewKind } from './kinds/crew.ts';
import { entityKind } from './kinds/entity.ts';
import { eventKind } from './kinds/events/event.ts';
import { logicBlockKind } from './kinds/logicblock.ts';
import { settingsKind, settingsTraits } from './kinds/settings.ts';

/** A kind, or how it is made where other modules have a part in it. */
type Entry = ConfigKind | (KindTraits & { readonly withTypes: (settingTypes: readonly SettingType[]) => ConfigKind });

/** All kinds of config items that there are. A kind that is missing here is a mistake in its types. */
const entries: Readonly<Record<ConfigItemKind, Entry>> = {
  entity: complete(entityKind),
  logicblock: complete(logicBlockKind),
  event: complete(eventKind),
  settings: { ...settingsTraits, withTypes: (types) => complete(settingsKind(types)) },
  crew: complete(crewKind),
};

export function traitsOf({ kind }: Pick<ConfigItem, 'kind'>): KindTraits {
  return entries[kind];
}

/** Whether records are kept by the items of the kind, and so follow each change of them. */
export function hasRecords(item: Pick<ConfigItem, 'kind'>): boolean {
  return traitsOf(item).storage.liveRow === undefined;
}

export function createConfigKinds({ settingTypes }: { readonly settingTypes: readonly SettingType[] }): ConfigKinds {
  const made = configItemKinds.map((kind) => {
    const entry = entries[kind];
    if (entry.kind !== kind) throw new TypeError(`the kind ${kind} stands in another one’s place`);
    return [kind, 'withTypes' in entry ? entry.withTypes(settingTypes) : entry] as const;
  });
  return Object.fromEntries(made) as Record<ConfigItemKind, ConfigKind>;
}

/** Every change has a sentence: a change that a kind does not describe is described by its JSON pointer. */
function complete<Content>(kind: ConfigKind<Content>): ConfigKind {
  const describe: ConfigKind<Content>['describe'] = (change) => {
    const sentences = kind.describe(change);
    return sentences.length > 0 ? sentences : describePatch(diffJson(change.before, change.after));
  };
  // What comes out of `parse` is what goes into the others, so who has the one may have the others.
  return { ...kind, describe } as unknown as ConfigKind;
}
