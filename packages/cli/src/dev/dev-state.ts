/** What `freehold dev` keeps in the folder of its data, for its next start. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { CommandError } from '../frame/command-error.ts';
import { isObject } from '../json-object.ts';

export interface DevState {
  readonly org: string;
  /** Of the builder's account, which exists on this platform only. */
  readonly email: string;
  readonly password: string;
  /** The ports of the last start; 0 is a free one. */
  readonly appPort: number;
  readonly managementPort: number;
  /** The seeds were applied: from then on the data is that of the builder. */
  readonly isSeeded?: boolean;
}

const fileName = 'dev.json';

/** Makes the folder, which only this user can read and which no commit takes up. */
export function openFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ignore = join(folder, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
}

/** @returns undefined before the first start. @throws CommandError for a damaged file. */
export function readState(folder: string): DevState | undefined {
  const path = join(folder, fileName);
  if (!existsSync(path)) return undefined;
  try {
    const read: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isObject(read) && [read.org, read.email, read.password].every((member) => typeof member === 'string'))
      return { appPort: 0, managementPort: 0, ...read } as DevState;
  } catch {
    // Said below.
  }
  throw new CommandError(`${path} is damaged`, {
    code: 'dev_state_damaged',
    next: `remove ${folder} to begin with an empty platform`,
  });
}

export function writeState(folder: string, state: DevState): void {
  const path = join(folder, fileName);
  writeFileSync(`${path}.part`, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.part`, path);
}

export function newState(org: string): DevState {
  return {
    org,
    email: 'dev@localhost.example',
    password: randomBytes(24).toString('base64url'),
    appPort: 0,
    managementPort: 0,
  };
}

/** The port if it is free, else 0. */
export function freePort(port: number): Promise<number> {
  if (port === 0) return Promise.resolve(0);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}
