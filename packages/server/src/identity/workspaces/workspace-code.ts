import { randomBytes } from 'node:crypto';
import { defaultWorkspaceCode } from '../../tenancy/port.ts';

/** Codes from a name, the plain one first; then with an end that makes it another one. */
export function* codesFrom(name: string): Generator<string> {
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  const plain = letters === '' ? 'workspace' : letters;
  if (plain !== defaultWorkspaceCode) yield plain;
  for (let attempt = 0; attempt < attemptsMax; attempt++) yield `${plain}-${randomBytes(4).toString('hex')}`;
}

const attemptsMax = 8;
