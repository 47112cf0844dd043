import { settingTypes } from '../identity/port.ts';
import { type ConfigKind, crewKind, entityKind, eventKind, logicBlockKind, settingsKind } from '../promotion/port.ts';

/** All kinds of config items that there are, from the modules that own them. */
export const configKinds: readonly ConfigKind[] = [
  entityKind,
  logicBlockKind,
  eventKind,
  crewKind,
  settingsKind(settingTypes),
];
