/** `users.yaml` and `workspaces.yaml` of a seed folder. */
import { join } from 'node:path';
import { isObject, type JsonObject } from '../json-object.ts';
import { readYaml } from './read-yaml.ts';

export interface SeedUser {
  readonly place: string;
  readonly email: string;
  readonly password: string;
  readonly fn: string | undefined;
  readonly ln: string | undefined;
  /** Codes; undefined for the workspace that the command is run for. */
  readonly workspaces: readonly string[] | undefined;
  /** Names of policies that the user holds in each of them. */
  readonly policies: readonly string[];
}

export interface SeedWorkspace {
  readonly place: string;
  readonly code: string;
  readonly name: string;
  /** The email of a user of `users.yaml`, who becomes its admin. */
  readonly founder: string;
}

export interface SeedPeople {
  readonly users: readonly SeedUser[];
  readonly workspaces: readonly SeedWorkspace[];
}

export function readPeople(folder: string, names: ReadonlySet<string>, mistakes: string[]): SeedPeople {
  const listOf = (name: string): readonly (readonly [string, JsonObject])[] =>
    names.has(name) ? readList(join(folder, name), mistakes) : [];
  const users = listOf('users.yaml').flatMap(([place, given]) => userOf(place, given, mistakes));
  const workspaces = listOf('workspaces.yaml').flatMap(([place, given]) => workspaceOf(place, given, mistakes));
  const emails = new Set(users.map(({ email }) => email));
  for (const { place, founder } of workspaces)
    if (!emails.has(founder)) mistakes.push(`${place}: the founder \`${founder}\` is not in users.yaml`);
  return { users, workspaces };
}

function readList(path: string, mistakes: string[]): readonly (readonly [string, JsonObject])[] {
  const content = readYaml(path, mistakes);
  if (content === undefined) return [];
  if (Array.isArray(content) && content.every(isObject))
    return content.map((given, index) => [`${path}: entry ${index + 1}`, given] as const);
  mistakes.push(`${path}: must be a list of mappings`);
  return [];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);

/** Each member with the test that it must pass, and how a mistake calls what it must be. */
type Shape = Readonly<Record<string, readonly [test: (value: unknown) => boolean, isRequired: boolean, must: string]>>;

function fits(place: string, given: JsonObject, shape: Shape, mistakes: string[]): boolean {
  const found = [
    ...Object.keys(given)
      .filter((name) => !(name in shape))
      .map((name) => `\`${name}\` is not known: use ${Object.keys(shape).join(', ')}`),
    ...Object.entries(shape).flatMap(([name, [test, isRequired, must]]) =>
      given[name] === undefined
        ? isRequired
          ? [`\`${name}\` is missing`]
          : []
        : test(given[name])
          ? []
          : [`\`${name}\` must be ${must}`],
    ),
  ];
  mistakes.push(...found.map((mistake) => `${place}: ${mistake}`));
  return found.length === 0;
}

const userShape: Shape = {
  email: [(value) => isText(value) && value.includes('@'), true, 'an email address'],
  password: [(value) => isText(value) && value.length >= 10, true, 'a text of 10 characters or more'],
  fn: [isText, false, 'a text'],
  ln: [isText, false, 'a text'],
  workspaces: [isTexts, false, 'a list of codes'],
  policies: [isTexts, false, 'a list of names'],
};

function userOf(place: string, given: JsonObject, mistakes: string[]): readonly SeedUser[] {
  if (!fits(place, given, userShape, mistakes)) return [];
  const { email, password, fn, ln, workspaces, policies } = given as unknown as SeedUser;
  return [{ place, email, password, fn, ln, workspaces, policies: policies ?? [] }];
}

const workspaceShape: Shape = {
  code: [
    (value) => isText(value) && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(value),
    true,
    '1 to 63 of a-z, 0-9 and -',
  ],
  name: [isText, true, 'a text'],
  founder: [isText, true, 'the email of a user'],
};

function workspaceOf(place: string, given: JsonObject, mistakes: string[]): readonly SeedWorkspace[] {
  if (!fits(place, given, workspaceShape, mistakes)) return [];
  const { code, name, founder } = given as unknown as SeedWorkspace;
  return [{ place, code, name, founder }];
}
