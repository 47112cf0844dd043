/** A JSON Patch (RFC 6902) as anybody's library would apply it. */
import assert from 'node:assert/strict';
import type { PatchOperation } from './promotion.ts';

type Container = Record<string, unknown> | unknown[];

/** The document after the patch; undefined where there is none, before or after. */
export function applyPatch(document: unknown, patch: readonly PatchOperation[]): unknown {
  const root = { document: structuredClone(document) };
  for (const operation of patch) {
    const from = operation.from === undefined ? undefined : take(root, operation.from);
    if (operation.op === 'remove') take(root, operation.path);
    else if (operation.op === 'move') put(root, operation.path, from);
    else if (operation.op === 'add') put(root, operation.path, operation.value);
    else if (operation.op === 'replace') {
      const value = operation.value;
      take(root, operation.path);
      put(root, operation.path, value);
    } else assert.fail(`the operation ${operation.op}`);
  }
  return root.document;
}

function place(root: object, pointer: string): { readonly within: Container; readonly key: string } {
  const path = ['document', ...pointer.split('/').slice(1)].map((part) =>
    part.replaceAll('~1', '/').replaceAll('~0', '~'),
  );
  const key = path.pop() ?? '';
  let within: unknown = root;
  for (const part of path) {
    assert.ok(typeof within === 'object' && within !== null && Object.hasOwn(within, part), `nothing is at ${pointer}`);
    within = (within as Record<string, unknown>)[part];
  }
  assert.ok(typeof within === 'object' && within !== null, `nothing is at ${pointer}`);
  return { within: within as Container, key };
}

function take(root: object, pointer: string): unknown {
  const { within, key } = place(root, pointer);
  assert.ok(Object.hasOwn(within, key), `nothing is at ${pointer}`);
  if (Array.isArray(within)) return within.splice(Number(key), 1)[0];
  const value = within[key];
  delete within[key];
  return value;
}

function put(root: object, pointer: string, value: unknown): void {
  const { within, key } = place(root, pointer);
  if (!Array.isArray(within)) within[key] = value;
  else {
    const index = key === '-' ? within.length : Number(key);
    assert.ok(index >= 0 && index <= within.length, `nothing can be at ${pointer}`);
    within.splice(index, 0, value);
  }
}
