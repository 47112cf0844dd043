import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { CompiledEntity, FieldValue } from '../../schema/port.ts';
import type { Scope } from '../../store/port.ts';
import { json } from '../../store/table.ts';
import { sealedKey } from '../indexes/derive.ts';

/** A key of 32 bytes in base64url, under the name that what it seals carries. */
export interface SealingKey {
  readonly kid: string;
  readonly key: string;
}

/** The place of a sealed value. It opens nowhere else. */
export interface SealedLocation {
  readonly scope: string;
  readonly entityName: string;
  readonly id: string;
  readonly field: string;
}

export interface Sealer {
  seal(text: string, location: SealedLocation): string;
  /** @throws Error where the key is unknown, or the value was changed or moved. */
  open(sealed: string, location: SealedLocation): string;
}

const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM. The first key seals; the others open what was sealed before it came. */
export function createSealer(keys: readonly SealingKey[]): Sealer {
  const secrets = new Map<string, KeyObject>();
  for (const { kid, key } of keys) secrets.set(kid, createSecretKey(Buffer.from(key, 'base64url')));
  const [current] = keys;
  return {
    seal: (text, place) => {
      const secret = current === undefined ? undefined : secrets.get(current.kid);
      if (current === undefined || secret === undefined) throw new Error('there is no key to seal values with');
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(placeBytes(place));
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${current.kid}.${sealed.toString('base64url')}`;
    },
    open: (sealed, place) => {
      const dot = sealed.lastIndexOf('.');
      const secret = secrets.get(sealed.slice(0, dot));
      if (secret === undefined) throw new Error('the key of a sealed value is unknown');
      const bytes = Buffer.from(sealed.slice(dot + 1), 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', secret, bytes.subarray(0, nonceBytes));
      decipher.setAAD(placeBytes(place)).setAuthTag(bytes.subarray(-tagBytes));
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8');
    },
  };
}

function placeBytes({ scope, entityName, id, field }: SealedLocation): Buffer {
  return Buffer.from(JSON.stringify([scope, entityName, id, field]));
}

/**
 * The text of a record's sealed values after a write, or undefined where the write leaves them as they are.
 * @param change.held what is sealed of the record so far.
 */
export function sealValues(
  sealer: Sealer,
  place: { readonly scope: string; readonly entity: CompiledEntity; readonly id: string },
  change: {
    readonly fields: ReadonlyMap<string, FieldValue | undefined>;
    readonly held: Readonly<Record<string, string>>;
  },
): string | undefined {
  const { scope, entity, id } = place;
  const sealed: Record<string, string> = {};
  let isChanged = false;
  for (const { name, behaviour } of entity.fields.values()) {
    if (behaviour.isSecret !== true) continue;
    const field = entity.stored.inStore(name);
    const value = change.fields.get(name);
    const held = change.held[field];
    if (change.fields.has(name)) isChanged = true;
    if (value !== undefined) sealed[field] = sealer.seal(String(value), { scope, entityName: entity.name, id, field });
    else if (held !== undefined && !change.fields.has(name)) sealed[field] = held;
  }
  for (const [field, held] of Object.entries(change.held)) {
    const name = entity.stored.inMemory(field);
    if (entity.fields.get(name)?.behaviour.isSecret === true || entity.unkept.includes(name)) continue;
    // A release that takes the value in plain text has given it another one.
    if (change.fields.has(name)) isChanged = true;
    else sealed[field] = held;
  }
  return isChanged ? JSON.stringify(sealed) : undefined;
}

const sealedTexts = json<Readonly<Record<string, string>>>('text of sealed values', {});

/** A record's sealed values by the stored name of the field, as they lie beside it. */
export function readSealed(text: string | undefined): Readonly<Record<string, string>> {
  return text === undefined ? {} : sealedTexts.parse(text);
}

/** Those of a record, by the stored name of the field. */
export async function heldSealed(
  scope: Scope,
  { name, hasSealed }: Pick<CompiledEntity, 'name' | 'hasSealed'>,
  id: string,
): Promise<Readonly<Record<string, string>>> {
  const [item] = hasSealed ? await scope.get([sealedKey(name, id)]) : [];
  return readSealed(item?.value);
}
