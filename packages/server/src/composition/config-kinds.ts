import { automationKinds } from '../automation/port.ts';
import { entityKind } from '../entities/port.ts';
import { settingsKind, settingTypes } from '../identity/port.ts';
import type { ConfigKind } from '../promotion/port.ts';

/** All kinds of config items that there are, from the modules that own their contents. */
export const configKinds: readonly ConfigKind[] = [entityKind, ...automationKinds, settingsKind(settingTypes)];
