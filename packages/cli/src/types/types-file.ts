/** The file of an app's types, made from the definitions of an environment. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Management } from '@freehold/client/management';
import { generateTypes } from '@freehold/client/types';
import { isObject } from '../json-object.ts';

export type Environment = 'test' | 'prod';

const atOnce = 4;

/** The text of the file. @throws CommandError. */
export async function typesOf(management: Management, env: Environment): Promise<string> {
  const { items } = await management.call('listEntities', { query: { env } });
  const entities = await eachOf(
    items.map(({ name }) => name),
    (entityName) => management.call('readEntity', { query: { env, entityName } }),
  );
  const blocks = await eachOf(
    (await logicBlocks(management, env)).map(({ name }) => name),
    async (name) => {
      const item: unknown = await management.call('readConfigItem', {
        params: { kind: 'logicblock', name },
        query: { env },
      });
      const content = isObject(item) ? item.content : undefined;
      return {
        name,
        ...(isObject(content) && content.input_schema !== undefined ? { input_schema: content.input_schema } : {}),
      };
    },
  );
  return generateTypes({ entities, logicBlocks: blocks });
}

/** A text that changes with the definitions: two small calls, however often it is asked for. */
export async function fingerprint(management: Management, env: Environment): Promise<string> {
  const [entities, blocks] = await Promise.all([
    management.call('listEntities', { query: { env } }),
    logicBlocks(management, env),
  ]);
  return JSON.stringify([
    ...entities.items.map(({ name, updated_at }) => [name, updated_at]),
    ...blocks.map(({ name, version }) => [name, version]),
  ]);
}

async function logicBlocks(management: Management, env: Environment) {
  const found: { readonly name: string; readonly version: number }[] = [];
  let nexttoken: string | undefined;
  do {
    const more = nexttoken === undefined ? {} : { nexttoken };
    const page = await management.call('listConfigItems', {
      params: { kind: 'logicblock' },
      query: { env, pagesize: 200, ...more },
    });
    found.push(...page.items);
    nexttoken = page.nexttoken ?? undefined;
  } while (nexttoken !== undefined);
  return found;
}

async function eachOf<From, To>(given: readonly From[], make: (from: From) => Promise<To>): Promise<readonly To[]> {
  const made: To[] = [];
  const queue = given.entries();
  const work = async () => {
    for (const [index, from] of queue) made[index] = await make(from);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return made;
}

export function isCurrent(path: string, text: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8') === text;
}

/** Writes it where it differs, at once for its readers. @returns whether it was written. */
export function writeTypes(path: string, text: string): boolean {
  if (isCurrent(path, text)) return false;
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, text);
  renameSync(part, path);
  return true;
}
