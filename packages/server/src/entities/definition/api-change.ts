import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import type { Preconditions } from '../../api/headers/preconditions.ts';
import { type ActiveEntity, activeConfigKey, apiBodies } from '../../config/port.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { invalidBody, Problem } from '../../lib/problem.ts';
import { isObject } from '../../lib/unknown-names.ts';
import { entityTag, holdsFor } from '../../records/port.ts';
import { type ApiAction, actions, apiName, type EntityDefinition, generatedViews } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import type { ShownBuilds } from '../showing/show-builds.ts';

/** A change of one of the five configs of an entity, by the config's name. */
export interface ApiChange extends Preconditions {
  readonly api: string;
  /** The members of the config that are to be others; `null` takes one out that may be left out. */
  readonly body: unknown;
  /** Takes a definition also where stored records contradict it. */
  readonly force?: boolean;
}

/** Fills and indexes where the definition has changed. */
export interface ChangedApi extends Partial<ShownBuilds> {
  readonly entityName: string;
  readonly api: string;
  readonly version: number;
  readonly warnings?: readonly string[];
}

/** @throws Problem `version_mismatch` where the caller's preconditions do not hold for the config. */
export function requireConfigMatch({ version }: Pick<ShownConfig, 'version'>, preconditions: Preconditions): void {
  const etag = entityTag(version);
  if (holdsFor(preconditions, (tag) => tag === etag)) return;
  throw new Problem('version_mismatch', `a precondition failed: the version of the config is ${version}`, {
    etag,
    version,
  });
}

/** The verdict of the platform on a config. */
const fixedMembers = ['key', 'version', 'entityName', 'action', 'method', 'path'];

/** The members that a body asks to change. What is fixed may stand as it does, so that a config can be read, edited and put back. */
export function readMembers(shown: ShownConfig, body: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(body))
    throw invalidBody([{ pointer: '', code: 'wrong_type', message: 'the change of a config must be a JSON object' }]);
  const isFixed = (member: string): boolean => fixedMembers.includes(member) && Object.hasOwn(shown, member);
  const errors = Object.entries(body)
    .filter(([member, value]) => isFixed(member) && !isDeepStrictEqual(value, shown[member]))
    .map(
      ([member]): InputError => ({ pointer: pointerTo(member), code: 'read_only', message: readOnly(shown, member) }),
    );
  if (errors.length > 0) throw invalidBody(errors);
  return Object.fromEntries(Object.entries(body).filter(([member]) => !isFixed(member)));
}

function readOnly(shown: ShownConfig, member: string): string {
  return `\`${member}\` of this config is \`${String(shown[member])}\` and cannot be changed`;
}

/** The live configs of an entity, as they are stored. */
interface ConfigBodies {
  readonly entityName: string;
  readonly active: ActiveEntity;
  readonly bodies: Readonly<Record<ApiAction, Readonly<Record<string, unknown>>>>;
}

export async function readConfigBodies(
  store: Store,
  orgCode: string,
  { entityName, active }: { readonly entityName: string; readonly active: ActiveEntity },
): Promise<ConfigBodies> {
  const rows = await apiBodies.readMany(
    store.scope(orgScopeName(orgCode)),
    actions.map((action) => ({ api: apiName(action, entityName), version: active.versions[action] })),
  );
  const bodies = rows.map((row) => {
    if (row === undefined) throw new Error('the body of a live config is missing');
    return row.value;
  });
  return {
    entityName,
    active,
    bodies: Object.fromEntries(actions.map((action, index) => [action, bodies[index]])) as ConfigBodies['bodies'],
  };
}

/** One of the five configs as it is shown: the definition, or what is generated from it and the views that it has. */
export type ShownConfig = Readonly<Record<string, unknown>> & { readonly key: string; readonly version: number };

/** A config that was given no views of its own has those of the definition; beside them stand the generated ones. */
export function shownConfig({ entityName, active, bodies }: ConfigBodies, action: ApiAction): ShownConfig {
  const key = activeConfigKey(apiName(action, entityName));
  const shown = { key, version: active.versions[action], ...bodies[action] };
  if (action === 'create') return shown;
  const definition = bodies.create as unknown as EntityDefinition;
  const own = bodies[action].Views ?? definition.Views ?? {};
  return { ...shown, Views: { ...generatedViews(definition), ...own } };
}
