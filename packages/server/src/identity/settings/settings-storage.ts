import { liveSettings, type SettingContent } from '../../config/port.ts';
import { type ItemStorage, plainStorage } from '../../promotion/port.ts';

/** The row of a live setting holds it as a whole, so that a request has all of them with the configuration. */
export const settingsStorage: ItemStorage = {
  ...plainStorage,
  liveNames: (set) => [...set.settings.keys()],
  liveVersions: (set, { name }) => set.settings.get(name)?.version,
  liveContent: (set, name) => {
    const setting = set.settings.get(name);
    if (setting === undefined) return undefined;
    const { version: _, ...content } = setting;
    return content;
  },
  liveRow: {
    put: ({ name, version, content }, condition) =>
      liveSettings.put(name, { ...(content as SettingContent), version }, condition),
    remove: ({ name }) => liveSettings.remove(name, 'present'),
  },
};
