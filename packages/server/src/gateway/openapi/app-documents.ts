import type { ConfigSet } from '../../config/port.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { singleFlight } from '../../lib/scheduling/single-flight.ts';
import { systemEntities } from '../../schema/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { appDocument, type DocumentedPart } from './app-document.ts';
import { type DocumentText, documentText } from './document-reply.ts';

/** The documents of all orgs' apps, each made once for a version of its configuration. */
export interface AppDocuments {
  of(app: DocumentOf, set: ConfigSet): Promise<DocumentText>;
}

interface DocumentOf {
  readonly orgCode: string;
  readonly env: Environment;
  readonly part?: DocumentedPart;
  readonly view?: string | undefined;
}

interface Kept extends DocumentText {
  readonly version: number;
  readonly view: string;
}

/** @param charactersMax how much is kept of all documents together. */
export function createAppDocuments(charactersMax = 64 * 1024 * 1024): AppDocuments {
  const kept = new BoundedMap<string, Kept>(charactersMax, ({ characters }) => characters);
  const flights = singleFlight<string, Kept>();
  return {
    of: async ({ orgCode, env, part, view = 'default' }, set) => {
      // Beside the usual view one more is kept, the last that was asked for: no caller takes the room of others by views.
      const key = JSON.stringify([orgCode, env, part, view === 'default']);
      const known = kept.get(key);
      if (known?.version === set.version && known.view === view) return known;
      return flights(JSON.stringify([key, view, set.version]), async () => {
        const names = [...set.entityNames, ...systemEntities.keys()];
        const found = await Promise.all(names.map((name) => set.entity(name)));
        const entities = found.filter((entity) => entity !== undefined);
        const { version } = set;
        const text = await documentText(appDocument({ orgCode, env, version, entities, part, view }));
        const made = { ...text, version, view };
        kept.set(key, made);
        return made;
      });
    },
  };
}
