import type { accessApi } from '@freehold/contract/management/access';
import type { BodyOf } from '@freehold/contract/route';
import type { Environment } from '../../api/session.ts';

/** What is asked, as it is typed and as it stands in the address. Members that are left out are not asked about. */
export interface Simulation {
  /** The id of a user; or a draft of statements in JSON. */
  readonly member?: string | undefined;
  readonly draft?: string | undefined;
  readonly action?: string | undefined;
  readonly resource?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  /** The id of a stored record; or the fields of a record in JSON. */
  readonly record?: string | undefined;
  readonly fields?: string | undefined;
  readonly ip?: string | undefined;
  readonly time?: string | undefined;
  readonly origin?: string | undefined;
  /** JSON. */
  readonly body?: string | undefined;
  /** JSON. */
  readonly claims?: string | undefined;
  /** Of a draft alone. */
  readonly userId?: string | undefined;
  readonly userEmail?: string | undefined;
}

const names = [
  'member',
  'draft',
  'action',
  'resource',
  'method',
  'path',
  'record',
  'fields',
  'ip',
  'time',
  'origin',
  'body',
  'claims',
  'userId',
  'userEmail',
] as const satisfies readonly (keyof Simulation)[];

/** Reads one from the parameters of an address. */
export function readSimulation(search: Readonly<Record<string, unknown>>): Simulation {
  return Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === 'string' && search[name] !== '' ? [[name, search[name]]] : [])),
  );
}

/** More would make an address that servers refuse. */
export const linkedCharactersMax = 6_000;

/** The parameters of an address that leads to it; undefined if it is too long for one. */
export function searchOf(simulation: Simulation): Readonly<Record<string, string | undefined>> | undefined {
  const search = Object.fromEntries(
    names.map((name) => [name, simulation[name] === '' ? undefined : simulation[name]]),
  );
  return encodeURIComponent(JSON.stringify(search)).length > linkedCharactersMax ? undefined : search;
}

export type SimulationBody = BodyOf<typeof accessApi.simulateAccess>;

export interface Ready {
  readonly body: SimulationBody;
}

/** What is missing, or the sentence about what cannot be read, by the member that it is about. */
export interface Unready {
  readonly missing?: string;
  readonly mistakes: Readonly<Partial<Record<keyof Simulation, string>>>;
}

interface Where {
  readonly env: Environment;
  readonly workspace: string | undefined;
  /** A draft that another screen edits, in place of the typed draft. */
  readonly statements?: readonly unknown[] | undefined;
}

/** The body that asks the platform, once all of it is there. */
export function bodyOf(simulation: Simulation, where: Where): Ready | Unready {
  const draft = where.statements ?? readJson(simulation.draft, Array.isArray, 'a list of statements');
  const fields = readJson(simulation.fields, isObject, 'an object');
  const body = readJson(simulation.body, isObject, 'an object');
  const jwt = readJson(simulation.claims, isObject, 'an object');
  const mistakes = mistakesIn({ draft, fields, body, claims: jwt });
  if (Object.keys(mistakes).length > 0) return { mistakes };
  const missing = missingIn(simulation, where);
  if (missing !== undefined) return { missing, mistakes };
  const { workspace, env } = where;
  const isDraft = draft !== undefined;
  return {
    body: {
      env,
      ...(workspace === undefined ? {} : { tenant_code: workspace }),
      ...(isDraft ? { statements: draft as unknown[] } : { user_id: simulation.member }),
      ...whatOf(simulation),
      ...recordOf(simulation, fields),
      context: contextOf(simulation, { body, jwt, isDraft }),
    } as SimulationBody,
  };
}

/** The data that were read, undefined where nothing was typed, or a sentence about what is wrong with it. */
type Read = object | string | undefined;

function readJson(text: string | undefined, is: (value: unknown) => boolean, what: string): Read {
  if (text === undefined || text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return is(value) ? (value as object) : `This must be ${what}.`;
  } catch {
    return 'This is no JSON yet.';
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mistakesIn(read: Readonly<Record<'draft' | 'fields' | 'body' | 'claims', Read>>): Unready['mistakes'] {
  return Object.fromEntries(Object.entries(read).filter(([, value]) => typeof value === 'string'));
}

function missingIn(simulation: Simulation, { workspace, statements }: Where): string | undefined {
  const { member, draft, action, resource, method, path, record } = simulation;
  if (statements === undefined && draft === undefined) {
    if (workspace === undefined) return 'Choose a workspace at the top, or simulate a draft.';
    if (member === undefined) return 'Choose a user, or write a draft.';
  }
  if (record !== undefined && workspace === undefined) return 'Choose the workspace of the record at the top.';
  const isComplete = (action !== undefined && resource !== undefined) || (method !== undefined && path !== undefined);
  return isComplete ? undefined : 'Say what is to be done.';
}

function whatOf({ action, resource, method, path }: Simulation) {
  return method === undefined ? { action, resource } : { method, path };
}

function recordOf({ record }: Simulation, fields: Read) {
  if (record !== undefined) return { record: { id: record.trim() } };
  return fields === undefined ? {} : { record: fields };
}

interface RequestBodies {
  readonly body: Read;
  readonly jwt: Read;
  readonly isDraft: boolean;
}

function contextOf({ ip, time, origin, userId, userEmail }: Simulation, { body, jwt, isDraft }: RequestBodies) {
  const request = present({ ip, time, origin, body });
  const user = isDraft ? present({ id: userId, email: userEmail }) : {};
  return {
    ...(Object.keys(request).length === 0 ? {} : { request }),
    ...(jwt === undefined ? {} : { jwt }),
    ...(Object.keys(user).length === 0 ? {} : { user }),
  };
}

function present(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== ''));
}
