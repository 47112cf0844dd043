import type { SettingType } from '../config/port.ts';
import { configItemKinds } from '../config/port.ts';
import type { ConfigKind, ConfigKinds } from './config-kind.ts';
import { describePatch } from './differences/describe-change.ts';
import { diffJson } from './differences/json-patch.ts';
import { crewKind } from './kinds/crew.ts';
import { entityKind } from './kinds/entity.ts';
import { eventKind } from './kinds/event.ts';
import { logicBlockKind } from './kinds/logicblock.ts';
import { settingsKind } from './kinds/settings.ts';

/** All kinds of config items that there are. A kind that is missing here is a mistake in its types. */
export function createConfigKinds({ settingTypes }: { readonly settingTypes: readonly SettingType[] }): ConfigKinds {
  const kinds = {
    entity: complete(entityKind),
    logicblock: complete(logicBlockKind),
    event: complete(eventKind),
    settings: complete(settingsKind(settingTypes)),
    crew: complete(crewKind),
  } satisfies ConfigKinds;
  for (const kind of configItemKinds)
    if (kinds[kind].kind !== kind) throw new TypeError(`the kind ${kind} stands in another one’s place`);
  return kinds;
}

/** No change goes without a sentence: what a kind has no words for is told by where it is. */
function complete<Content>(kind: ConfigKind<Content>): ConfigKind {
  const describe: ConfigKind<Content>['describe'] = (change) => {
    const sentences = kind.describe(change);
    return sentences.length > 0 ? sentences : describePatch(diffJson(change.before, change.after));
  };
  // What comes out of `parse` is what goes into the others, so who has the one may have the others.
  return { ...kind, describe } as unknown as ConfigKind;
}
