import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { CommandError } from '../frame/command-error.ts';

export const projectFileName = 'freehold.yaml';

/** A platform and an org that the files of a project go to. */
export interface ProjectTarget {
  /** Of the management gateway, without a slash at its end. */
  readonly url: string;
  readonly org: string;
  /** Of the app gateway. */
  readonly appUrl?: string;
  /** The profile to sign in with; left out, the only one that fits. */
  readonly profile?: string;
}

export interface Project {
  /** The project file. */
  readonly path: string;
  /** The folder of the project file. */
  readonly root: string;
  /** The folder of the configuration, absolute. */
  readonly config: string;
  /** The target without a name. */
  readonly main: ProjectTarget;
  readonly targets: ReadonlyMap<string, ProjectTarget>;
}

/** The project of this folder or of the nearest one above it. @throws CommandError for a file with mistakes. */
export function findProject(cwd: string): Project | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, projectFileName);
    if (existsSync(path)) return readProject(path, readFileSync(path, 'utf8'));
    if (folder === dirname(folder)) return undefined;
  }
}

const members = ['url', 'org', 'app_url', 'profile', 'config', 'targets'];
const targetMembers = ['url', 'org', 'app_url', 'profile'];

/** All mistakes of the file at once. */
export function readProject(path: string, text: string): Project {
  const document = parseDocument(text);
  const mistakes = document.errors.map(({ message }) => message.split('\n')[0] ?? message);
  const read: unknown = mistakes.length === 0 ? document.toJS() : {};
  if (!isObject(read)) throw damaged(path, ['it has no members']);
  mistakes.push(...unknownMembers(read, members, ''));
  const main = readTarget(read, '', mistakes);
  const targets = new Map<string, ProjectTarget>();
  const listed = isObject(read.targets) ? read.targets : {};
  if (read.targets !== undefined && !isObject(read.targets)) mistakes.push('`targets` has no members');
  for (const [name, value] of Object.entries(listed)) {
    const given = isObject(value) ? value : {};
    mistakes.push(...unknownMembers(given, targetMembers, `targets.${name}.`));
    targets.set(name, readTarget(given, `targets.${name}.`, mistakes));
  }
  const config = folderOf(read.config, mistakes);
  if (mistakes.length > 0) throw damaged(path, mistakes);
  const root = dirname(path);
  return { path, root, config: join(root, config), main, targets };
}

function readTarget(given: Readonly<Record<string, unknown>>, at: string, mistakes: string[]): ProjectTarget {
  const text = (name: string): string | undefined => {
    const value = given[name];
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    mistakes.push(`\`${at}${name}\` is no text`);
    return undefined;
  };
  const address = (name: string): string | undefined => {
    const value = text(name);
    if (value === undefined || isWebAddress(value)) return value?.replace(/\/+$/, '');
    mistakes.push(`\`${at}${name}\` is no address that begins with https:// or http://`);
    return undefined;
  };
  for (const name of ['url', 'org']) if (given[name] === undefined) mistakes.push(`\`${at}${name}\` is missing`);
  const [url = '', org = '', appUrl, profile] = [address('url'), text('org'), address('app_url'), text('profile')];
  return { url, org, ...(appUrl === undefined ? {} : { appUrl }), ...(profile === undefined ? {} : { profile }) };
}

/** Whether it is a web address without a user, a query or a fragment. */
export function isWebAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return false;
  return `${url.username}${url.password}${url.search}${url.hash}` === '';
}

function folderOf(given: unknown, mistakes: string[]): string {
  const folder = given ?? 'config';
  if (typeof folder === 'string' && folder !== '' && !isAbsolute(folder)) {
    const inside = normalize(folder);
    if (inside !== '.' && inside.split(/[/\\]/)[0] !== '..') return inside;
  }
  mistakes.push('`config` is no folder inside of the project');
  return 'config';
}

function unknownMembers(given: object, known: readonly string[], at: string): readonly string[] {
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => `\`${at}${name}\` is unknown`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function damaged(path: string, lines: readonly string[]): CommandError {
  return new CommandError(`${path} cannot be used`, {
    code: 'project_file_invalid',
    lines,
    next: 'correct the file: docs/command-line.md describes its members',
  });
}
