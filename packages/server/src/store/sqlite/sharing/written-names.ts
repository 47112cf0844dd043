import { chainHeads } from '../../chain.ts';
import { isAppendedKey, type Member } from '../../committing/apply-group.ts';
import {
  type Add,
  type Change,
  isIndexPartition,
  type Key,
  ownerOf,
  type Put,
  type Remove,
  type ScopeName,
} from '../../port.ts';

/** U+0000 is in no name and in no stored key: no other key has the same text. */
export function nameOf(scope: ScopeName, { pk, sk }: Key): string {
  return `${scope}\0${pk}\0${sk}`;
}

/** Items whose key no commit names: the store makes it. And index items, which have no value. */
export function isNeverKept({ pk, sk }: Key): boolean {
  return isIndexPartition(pk) || pk === chainHeads || isAppendedKey(sk);
}

export interface WrittenName {
  readonly owner: string;
  readonly name: string;
}

/** The keys that a member of a group may write, as far as they are kept. */
export function writtenNames(member: Member): readonly WrittenName[] {
  const { scope } = member;
  const owner = ownerOf(scope);
  const named = (key: Key): readonly WrittenName[] => (isNeverKept(key) ? [] : [{ owner, name: nameOf(scope, key) }]);
  switch (member.kind) {
    case 'set-state':
      return [];
    case 'load':
      return member.items.flatMap(named);
    case 'commit':
      return member.changes.flatMap((change) => (writesKey(change) ? named(change) : []));
  }
}

function writesKey(change: Change): change is Put | Remove | Add {
  return change.kind === 'put' || change.kind === 'remove' || change.kind === 'add';
}
