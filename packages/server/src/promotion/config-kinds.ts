import { type ConfigItemKind, configItemKinds } from '../config/port.ts';
import type { ConfigKind, ConfigKinds } from './config-kind.ts';
import { describePatch } from './differences/describe-change.ts';
import { diffJson } from './differences/json-patch.ts';

/** @throws TypeError where a kind is missing, or is there twice. */
export function kindsOf(all: readonly ConfigKind[]): ConfigKinds {
  const found = configItemKinds.map((kind) => {
    const [one, other] = all.filter((candidate) => candidate.kind === kind);
    if (one === undefined || other !== undefined)
      throw new TypeError(`there is ${one === undefined ? 'no kind' : 'more than one kind'} \`${kind}\``);
    return [kind, complete(one)] as const;
  });
  return Object.fromEntries(found) as Record<ConfigItemKind, ConfigKind>;
}

/** Every change has a sentence: a change that a kind does not describe is described by its JSON pointer. */
function complete(kind: ConfigKind): ConfigKind {
  const describe: ConfigKind['describe'] = (change) => {
    const sentences = kind.describe(change);
    return sentences.length > 0 ? sentences : describePatch(diffJson(change.before, change.after));
  };
  return { ...kind, describe };
}
