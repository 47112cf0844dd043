import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import { pooledRandomBytes } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';

/** The position in a list: the sort key of the last item that was looked at. */
export interface Cursors {
  /** `binding` is everything a cursor is good for; with another one it does not open. */
  seal(position: string, binding: readonly string[]): string;
  /** @throws Problem `invalid_cursor`. */
  open(cursor: string, binding: readonly string[]): string;
}

const nonceBytes = 12;
const tagBytes = 16;
const cursorCharactersMax = 4096;

/** AES-256-GCM with the binding as associated data, so that a cursor tells nothing and cannot be made or changed. */
export function createCursors(secret: Uint8Array): Cursors {
  const key = createSecretKey(secret);
  return {
    seal: (position, binding) => {
      const nonce = pooledRandomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(bindingBytes(binding));
      const sealed = [nonce, cipher.update(position, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString('base64url');
    },
    open: (cursor, binding) => {
      const bytes = Buffer.from(cursor.slice(0, cursorCharactersMax), 'base64url');
      // Spellings that decode to the same bytes are refused too: a cursor has one form.
      if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== cursor) throw invalidCursor();
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
      decipher.setAAD(bindingBytes(binding));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        const opened = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([opened, decipher.final()]).toString('utf8');
      } catch {
        throw invalidCursor();
      }
    },
  };
}

function bindingBytes(binding: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(binding));
}

function invalidCursor(): Problem {
  return new Problem('invalid_cursor', '`nexttoken` is not a cursor of this query: leave it out to start again', {
    errors: [{ pointer: '/nexttoken', code: 'invalid_cursor', message: '`nexttoken` is not a cursor of this query' }],
  });
}
