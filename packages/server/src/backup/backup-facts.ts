/** The facts of a backup in a file beside it, `NAME.json`: who made it, and how its restore test ended. */

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../lib/unknown-names.ts';

export interface BackupFacts {
  readonly name: string;
  /** Names the platform that wrote this: only that one goes on with what it began, or removes what it made. */
  readonly platform: string;
  /** Null where a person has put the backup there. */
  readonly made_by: BackupMaker | null;
  readonly begun_at: string;
  readonly state: 'running' | 'complete' | 'failed';
  readonly problem?: string;
  /** Of a complete backup: another file of the same name is another backup. */
  readonly file?: BackupFile;
  readonly test?: TestFacts;
}

export interface BackupFile {
  readonly bytes: number;
  readonly created_at: string;
}

export type BackupMaker = 'schedule' | 'operator';

export interface TestFacts {
  readonly result: 'running' | 'passed' | 'drifted' | 'unverified' | 'failed';
  readonly at: string;
  readonly problem?: string;
}

/** Names that a list shows. They name a file in the folder, and nothing else. */
const backupName = /^[A-Za-z0-9][\w.-]{0,55}\.backup$/;

export function isBackupName(name: string): boolean {
  return backupName.test(name);
}

/** The name of a backup that is begun now. */
export function newBackupName(milliseconds: number): string {
  return `freehold-${new Date(milliseconds).toISOString().replaceAll(/[-:.]/g, '')}.backup`;
}

const factsEnding = '.json';
/** More are not looked at: a folder may hold anything. */
const factsBytesMax = 16 * 1024;

/** The name of the backup that a file tells of; undefined where the file is no such note. */
export function backupOfFacts(fileName: string): string | undefined {
  const name = fileName.slice(0, -factsEnding.length);
  return fileName.endsWith(factsEnding) && isBackupName(name) ? name : undefined;
}

/** In one step, so that no reader and no restart finds half of it. */
export function writeFacts(folder: string, facts: BackupFacts): void {
  const path = factsPath(folder, facts.name);
  writeFileSync(`${path}.new`, `${JSON.stringify(facts)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function removeFacts(folder: string, name: string): void {
  for (const path of [factsPath(folder, name), `${factsPath(folder, name)}.new`]) rmSync(path, { force: true });
}

/** Undefined where there is no such file, or none that a platform has written. */
export function readFacts(folder: string, name: string): BackupFacts | undefined {
  try {
    const text = readFileSync(factsPath(folder, name), 'utf8');
    if (text.length > factsBytesMax) return undefined;
    const value: unknown = JSON.parse(text);
    return isFacts(value) && value.name === name ? value : undefined;
  } catch {
    return undefined;
  }
}

function factsPath(folder: string, name: string): string {
  return join(folder, name + factsEnding);
}

function isFacts(value: unknown): value is BackupFacts {
  if (!isObject(value)) return false;
  const { name, platform, made_by, begun_at, state, problem, file, test } = value;
  return (
    [name, platform].every((text) => typeof text === 'string') &&
    isTime(begun_at) &&
    [null, 'schedule', 'operator'].includes(made_by as string | null) &&
    ['running', 'complete', 'failed'].includes(state as string) &&
    (problem === undefined || typeof problem === 'string') &&
    (file === undefined || (isObject(file) && Number.isSafeInteger(file.bytes) && isTime(file.created_at))) &&
    (test === undefined || isTest(test))
  );
}

function isTest(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { result, at, problem } = value;
  const isResult = ['running', 'passed', 'drifted', 'unverified', 'failed'].includes(result as string);
  return isResult && isTime(at) && (problem === undefined || typeof problem === 'string');
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && value === new Date(Date.parse(value) || 0).toISOString();
}
